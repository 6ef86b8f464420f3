/** Counts the values of a body before it is parsed: a value takes far more memory than its bytes. */

import { Refusal } from '../../../errors.ts';

/** In real documents a value takes about 20 bytes with its name; `{}` takes 3. */
const BYTES_PER_VALUE = 16;
/** The number that fits into a body of 100 kB; every limit allows as many. */
const MIN_VALUE_LIMIT = 50_000;

/** The maximum number of texts, numbers, lists, objects, … in a body with this limit of bytes. */
export function maxValuesFor(limitBytes: number): number {
  return Math.max(MIN_VALUE_LIMIT, Math.floor(limitBytes / BYTES_PER_VALUE));
}

export function tooManyValues(most: number): Refusal {
  return bodyTooLarge(
    `The body has more than ${most} values, that is texts, numbers, lists and objects. Send it in parts.`,
  );
}

const COLON = 0x3a;

const opens = (byte: number) => byte === 0x5b || byte === 0x7b;
const closes = (byte: number) => byte === 0x5d || byte === 0x7d;
const endsLine = (byte: number) => byte === 0x0a || byte === 0x0d;

/** Throws if the JSON has more values. Invalid JSON is left to the parser. */
export function refuseManyInJson(bytes: Uint8Array, most: number): void {
  // A value takes at least a byte and a comma or bracket.
  if (bytes.length > 2 * most && countInJson(bytes, most) > most) throw tooManyValues(most);
}

/** Stops as soon as the count is certain to exceed `most`. */
function countInJson(bytes: Uint8Array, most: number): number {
  let count = 1;
  let last = 0;
  // One more, as an empty last bracket subtracts one.
  for (let at = 0; at < bytes.length && count <= most + 1; at += 1) {
    const byte = bytes[at] ?? 0;
    count += addedBy(byte, last);
    if (byte === QUOTE) at = endOfText(bytes, at);
    if (byte > BLANK) last = byte;
  }
  return count;
}

/** A value follows each comma, and each opening bracket that is not closed at once. */
function addedBy(byte: number, last: number): number {
  if (byte === COMMA || opens(byte)) return 1;
  return closes(byte) && opens(last) ? -1 : 0;
}

/** The number in indented JSON: `"name": {},` with the end of the line. Signs within texts count too. */
const SIGNS_PER_VALUE = 4;

/**
 * Throws if YAML has so many signs before possible values that its parser would need too much memory to count the
 * values.
 */
export function refuseManySignsInYaml(bytes: Uint8Array, most: number): void {
  const maxSigns = SIGNS_PER_VALUE * most;
  if (bytes.length <= maxSigns) return;
  let signs = 0;
  for (let at = 0; at < bytes.length && signs <= maxSigns; at += 1) {
    if (isSign(bytes[at] ?? 0, bytes[at + 1] ?? 0)) signs += 1;
  }
  if (signs > maxSigns) throw tooManyValues(most);
}

/** A dash and a question mark count only before a blank. */
function isSign(byte: number, next: number): boolean {
  if (byte === 0x2d || byte === 0x3f) return next <= BLANK;
  return byte === COMMA || byte === COLON || opens(byte) || endsLine(byte);
}

export const COMMA = 0x2c;
export const QUOTE = 0x22;
/** The highest byte that may stand between values without a meaning. */
export const BLANK = 0x20;
const BACKSLASH = 0x5c;

/** The index of the quote that ends a text; after the end of the bytes if there is none. */
export function endOfText(bytes: Uint8Array, quote: number): number {
  let at = quote + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

export function bodyTooLarge(message: string, cause?: unknown): Refusal {
  return new Refusal('too-large', message, { details: [{ part: 'body', keys: [], message }], cause });
}
