/** Counts the values of a body before anything is built of it: a value takes far more memory than its bytes. */
import { AppError } from '../errors.ts';

/** In documents that people have, a value takes about 20 bytes with its name; `{}` takes 3. */
const BYTES_PER_VALUE = 16;
/** As many as fit into a body of 100 kB. */
const ALWAYS_TAKEN = 50_000;

/** How many texts, numbers, lists, objects, … a body may have where it may have so many bytes. */
export function mostValues(limitBytes: number): number {
  return Math.max(ALWAYS_TAKEN, Math.floor(limitBytes / BYTES_PER_VALUE));
}

export function tooManyValues(most: number): AppError {
  const message = `The body has more than ${most} values, that is texts, numbers, lists and objects. Send it in parts.`;
  return new AppError('too-large', message, { details: [{ path: '/body', message }] });
}

const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;

const opens = (byte: number) => byte === 0x5b || byte === 0x7b;
const closes = (byte: number) => byte === 0x5d || byte === 0x7d;
const endsLine = (byte: number) => byte === 0x0a || byte === 0x0d;

/** Throws where the JSON has more values. What is no JSON is left to the parser. */
export function refuseManyInJson(bytes: Uint8Array, most: number): void {
  // Each takes a byte, and a comma or a bracket.
  if (bytes.length > 2 * most && countInJson(bytes, most) > most) throw tooManyValues(most);
}

/** Stops where it is certain that there are too many. */
function countInJson(bytes: Uint8Array, most: number): number {
  let count = 1;
  let last = 0;
  // One more, as the bracket that was opened last may be closed at once.
  for (let at = 0; at < bytes.length && count <= most + 1; at += 1) {
    const byte = bytes[at] ?? 0;
    count += addedBy(byte, last);
    if (byte === QUOTE) at = endOfText(bytes, at);
    if (byte > BLANK) last = byte;
  }
  return count;
}

/** A value stands behind each comma, and behind each bracket that is not closed at once. */
function addedBy(byte: number, last: number): number {
  if (byte === COMMA || opens(byte)) return 1;
  return closes(byte) && opens(last) ? -1 : 0;
}

function endOfText(bytes: Uint8Array, quote: number): number {
  let at = quote + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** As JSON has them that is indented: `"name": {},` with the end of the line. A text may have them too. */
const SIGNS_PER_VALUE = 4;

/**
 * Throws where YAML has so many of the signs that values begin after, that its parser would need too much memory to find
 * out how many values there are.
 */
export function refuseManySignsInYaml(bytes: Uint8Array, most: number): void {
  const mostSigns = SIGNS_PER_VALUE * most;
  if (bytes.length <= mostSigns) return;
  let signs = 0;
  for (let at = 0; at < bytes.length && signs <= mostSigns; at += 1) {
    if (isSign(bytes[at] ?? 0, bytes[at + 1] ?? 0)) signs += 1;
  }
  if (signs > mostSigns) throw tooManyValues(most);
}

/** A dash and a question mark are signs before a blank. */
function isSign(byte: number, next: number): boolean {
  if (byte === 0x2d || byte === 0x3f) return next <= BLANK;
  return byte === COMMA || byte === COLON || opens(byte) || endsLine(byte);
}
