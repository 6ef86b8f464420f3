/** How deep values may be nested: one bound for request bodies, specs, the history, exports. */
import { createHash } from 'node:crypto';

/**
 * A value with this many values above it is the deepest that is taken. The API server takes almost 10,000 levels of
 * free-form values, and code that recurses, ours or of a library, ends there with a stack overflow.
 */
export const MAX_DEPTH = 64;

/** How many keys name a field of a spec at most: what is below, as in `parameters.zz`, is the content of that field. */
const LONGEST_FIELD = 6;
const DIGEST_DIGITS = 16;
const CUT = `(cut: nested deeper than ${MAX_DEPTH} levels, sha256 `;

/** Whether there is anything more than `levels` below the value. The recursion ends at that bound. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.values(value);
  return levels === 0 ? members.length > 0 : members.some((member) => isDeeperThan(member, levels - 1));
}

/**
 * The value with a text in the place of each part that is too deep; the same reference where none is. The text has the
 * digest of the part, so that a change of the part is still a change.
 */
export function cutDeep<V>(value: V): V {
  return isDeeperThan(value, MAX_DEPTH) ? (cutBelow(value, MAX_DEPTH) as V) : value;
}

/** Whether a value that went through `cutDeep` lacks something. */
export function isCut(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith(CUT);
  return typeof value === 'object' && value !== null && Object.values(value).some(isCut);
}

/** The fields that hold something too deep, by their keys from the value down. */
export function deepFields(value: unknown): readonly (readonly string[])[] {
  if (!isDeeperThan(value, MAX_DEPTH)) return [];
  return [...new Map([...placesBelow(value, [])].map((path) => [JSON.stringify(path), path])).values()];
}

function* placesBelow(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (path.length === LONGEST_FIELD || typeof value !== 'object' || value === null) {
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

/** Unlike for unlike values. Without recursion, as the depth is the author's choice. */
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
