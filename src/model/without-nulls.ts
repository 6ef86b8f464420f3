/** Removes the nulls that mean "absent" from JSON. */
import { isRecord } from './json.ts';

/**
 * Removes null members of objects at every depth except below the keys in `preserveNulls`.
 *
 * The API server stores null where the last owner of an item left while another one owned a field inside it. Elements of
 * lists stay, because their positions matter. A value without nulls is returned as the same reference.
 */
export function withoutNulls(value: unknown, preserveNulls: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutNulls(item, preserveNulls));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isRecord(value)) return value;
  const before = Object.entries(value);
  const after = before
    .filter(([, member]) => member !== null)
    .map(([key, member]): [string, unknown] => [
      key,
      preserveNulls.includes(key) ? member : withoutNulls(member, preserveNulls),
    ]);
  const same = after.length === before.length && after.every(([, member], index) => member === before[index]?.[1]);
  // `fromEntries` defines members, so a key `__proto__` stays a key.
  return same ? value : Object.fromEntries(after);
}
