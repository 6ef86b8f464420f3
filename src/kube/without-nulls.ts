/** JSON without the nulls that mean "absent". */
import { isRecord } from './raw-object.ts';

/**
 * Drops null members of objects at every depth except below the keys named in `freeForm`.
 *
 * The server stores null where the last owner of an item left while another owned something inside it. Elements of
 * lists stay, for a list means its positions. What holds no null is given back as the same reference.
 */
export function withoutNulls(value: unknown, freeForm: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutNulls(item, freeForm));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isRecord(value)) return value;
  const before = Object.entries(value);
  const after = before
    .filter(([, member]) => member !== null)
    .map(([key, member]): [string, unknown] => [key, freeForm.includes(key) ? member : withoutNulls(member, freeForm)]);
  const same = after.length === before.length && after.every(([, member], index) => member === before[index]?.[1]);
  // `fromEntries` defines members, so a key `__proto__` stays a key.
  return same ? value : Object.fromEntries(after);
}
