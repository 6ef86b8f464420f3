/** Refuses values that no body may contain: nested too deep, or impossible to store as sent. */
import { Refusal } from '../errors.ts';
import { MAX_DEPTH } from '../model/depth.ts';
import { invalid, quoteValue } from '../model/invalid-input.ts';

export function unreadable(message: string): Refusal {
  return new Refusal('invalid', message, { details: [{ part: 'body', keys: [], message }] });
}

type Key = string | number;
/** `keys` are the path of the value, and change after the call. */
type Visit = (value: unknown, keys: readonly Key[]) => void;

/** `keys` are the path of a part of a body, and are as before when the call ends. */
export function checked<T>(body: T, keys: Key[] = []): T {
  visitValues(body, refuseUnstorable, keys);
  return body;
}

/** Checks a body, or the result of a patch. */
export function refuseDeep(value: unknown): void {
  visitValues(value, () => undefined);
}

/** Visits a value and all values in it; a value that occurs in several places is visited for each of them. */
export function visitValues(value: unknown, visit: Visit, keys: Key[] = []): void {
  if (keys.length > MAX_DEPTH) throw unreadable(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  visit(value, keys);
  if (typeof value !== 'object' || value === null) return;
  // A list can be very long: it is visited by index, without a list of its entries.
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
 * Refuses values that JavaScript reads but that cannot be stored as sent: the API server replaces lone surrogates by
 * U+FFFD, a number beyond the largest becomes null, and a member `__proto__` gets lost in objects.
 */
function refuseUnstorable(value: unknown, keys: readonly Key[]): void {
  const name = keys.at(-1);
  if (typeof name === 'string' && (name === '__proto__' || !name.isWellFormed())) {
    const complaint = `has a member named ${quoteValue(name)}, which is not taken. Remove it.`;
    throw invalid([{ part: 'body', keys: keys.slice(0, -1).map(String), complaint }]);
  }
  const place = { part: 'body', keys: keys.map(String) } as const;
  if (typeof value === 'string' && !value.isWellFormed()) {
    const complaint = 'is no valid Unicode: it has half of a surrogate pair.';
    throw invalid([{ ...place, complaint, value: quoteValue(value) }]);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalid([{ ...place, complaint: 'is a number beyond what can be stored.' }]);
  }
}
