/** What no body may have in it: what is nested too deep, and what cannot be stored as it was sent. */
import { AppError } from '../errors.ts';
import { MAX_DEPTH } from '../schema/depth.ts';
import { about, invalid, shown } from './validation.ts';

export function unreadable(message: string): AppError {
  return new AppError('invalid', message, { details: [{ path: '/body', message }] });
}

type Key = string | number;
/** `keys` name the place of the value, and change after the call. */
type Visit = (value: unknown, keys: readonly Key[]) => void;

export function checked<T>(body: T): T {
  visitValues(body, refuseUnstorable);
  return body;
}

/** Of a body, and of what a patch makes of a resource. */
export function refuseDeep(value: unknown): void {
  visitValues(value, () => undefined);
}

/** Visits a value and all values in it; what is in several places is visited for each of them. */
export function visitValues(value: unknown, visit: Visit, keys: Key[] = []): void {
  if (keys.length > MAX_DEPTH) throw unreadable(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  visit(value, keys);
  if (typeof value !== 'object' || value === null) return;
  // A list can be very long: one index at a time, and no list of its entries.
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  const count = Array.isArray(value) ? value.length : (names?.length ?? 0);
  for (let index = 0; index < count; index += 1) {
    const key = names?.[index] ?? index;
    keys.push(key);
    visitValues(Reflect.get(value, key), visit, keys);
    keys.pop();
  }
}

/**
 * What JavaScript reads and nobody could store as it was sent: the API server has no lone surrogates and puts U+FFFD in
 * their place, a number beyond the largest becomes null, and a member `__proto__` gets lost on the way through objects.
 */
function refuseUnstorable(value: unknown, keys: readonly Key[]): void {
  const name = keys.at(-1);
  if (typeof name === 'string' && (name === '__proto__' || !name.isWellFormed())) {
    const complaint = `has a member named ${shown(name)}, which is not taken. Remove it.`;
    throw invalid([about('body', keys.slice(0, -1).map(String), complaint)]);
  }
  const complaint = unstorable(value);
  if (complaint !== undefined) throw invalid([about('body', keys.map(String), complaint)]);
}

function unstorable(value: unknown): string | undefined {
  if (typeof value === 'string' && !value.isWellFormed()) {
    return `is no valid Unicode: it has half of a surrogate pair. You sent ${shown(value)}.`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return 'is a number beyond what can be stored.';
  return undefined;
}
