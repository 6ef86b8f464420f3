/** Limits how deep values are nested: one limit for request bodies, specs, audit entries and exports. */
import { createHash } from 'node:crypto';

/**
 * The deepest accepted value has this many values above it. The API server accepts almost 10,000 levels of free-form
 * values, which overflow the stack of recursive code, here and in libraries.
 */
export const MAX_DEPTH = 64;

/**
 * The longest path that names a field of a spec; deeper values, as in `parameters.zz`, belong to the content of that
 * field.
 */
const MAX_FIELD_LENGTH = 6;
const DIGEST_DIGITS = 16;
const CUT = `(cut: nested deeper than ${MAX_DEPTH} levels, sha256 `;

/** Whether anything is nested more than `levels` below the value. The recursion ends at that limit. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // Runs for every object of every watch event: makes neither lists of members nor closures.
  if (Array.isArray(value)) return isAnyDeeperThan(value, levels);
  const record = value as Readonly<Record<string, unknown>>;
  for (const key in record) if (levels === 0 || isDeeperThan(record[key], levels - 1)) return true;
  return false;
}

function isAnyDeeperThan(members: readonly unknown[], levels: number): boolean {
  for (const member of members) if (levels === 0 || isDeeperThan(member, levels - 1)) return true;
  return false;
}

/**
 * Replaces each part that is too deep with a text; returns the same reference if there is none. The text contains the
 * digest of the part, so that a change of the part still changes the value.
 */
export function cutDeep<V>(value: V): V {
  return isDeeperThan(value, MAX_DEPTH) ? (cutBelow(value, MAX_DEPTH) as V) : value;
}

/** Whether `cutDeep` has cut a part of the value. */
export function isCut(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith(CUT);
  return typeof value === 'object' && value !== null && Object.values(value).some(isCut);
}

/** The paths of the fields that contain values nested too deep. */
export function deepFields(value: unknown): readonly (readonly string[])[] {
  if (!isDeeperThan(value, MAX_DEPTH)) return [];
  return [...new Map([...placesBelow(value, [])].map((path) => [JSON.stringify(path), path])).values()];
}

function* placesBelow(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (path.length === MAX_FIELD_LENGTH || typeof value !== 'object' || value === null) {
    yield path;
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (isDeeperThan(member, MAX_DEPTH - path.length - 1)) yield* placesBelow(member, [...path, key]);
  }
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return Object.keys(value).length === 0 ? value : `${CUT}${digestOf(value)})`;
  if (Array.isArray(value)) return value.map((item) => cutBelow(item, levels - 1));
  // `fromEntries` defines members, so a key `__proto__` stays a key.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutBelow(member, levels - 1)]));
}

const PIECE_LENGTH = 65_536;

function digestOf(value: object): string {
  const hash = createHash('sha256');
  let piece = '';
  for (const token of tokensOf(value)) {
    piece += token;
    if (piece.length < PIECE_LENGTH) continue;
    hash.update(piece);
    piece = '';
  }
  return hash.update(piece).digest('hex').slice(0, DIGEST_DIGITS);
}

/** Different values have different tokens. Not recursive, because the author of the value chooses its depth. */
function* tokensOf(value: object): Generator<string> {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one !== 'object' || one === null) {
      yield `${JSON.stringify(one)};`;
      continue;
    }
    const entries = Object.entries(one);
    yield `${Array.isArray(one) ? '[' : '{'}${entries.length}`;
    for (const [key, member] of entries.toReversed()) waiting.push(member, key);
  }
}
