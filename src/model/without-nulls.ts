/** Removes the nulls that mean "absent" from JSON. */
import { isRecord } from './json.ts';

/**
 * Removes null members of objects at every depth except below the keys in `preserveNulls`.
 *
 * The API server stores null where the last owner of an item left while another one owned a field inside it. Elements
 * of lists stay, because their positions matter. A value without nulls is returned as the same reference.
 */
export function withoutNulls(value: unknown, preserveNulls: readonly string[]): unknown {
  return hasNulls(value, preserveNulls) ? copyWithoutNulls(value, preserveNulls) : value;
}

/** Runs for every object of every watch event, few of which have nulls, so it makes no list of members. */
function hasNulls(value: unknown, preserveNulls: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((item) => hasNulls(item, preserveNulls));
  if (!isRecord(value)) return false;
  for (const key in value) {
    if (value[key] === null || (!preserveNulls.includes(key) && hasNulls(value[key], preserveNulls))) return true;
  }
  return false;
}

function copyWithoutNulls(value: unknown, preserveNulls: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, preserveNulls));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  // `fromEntries` defines members, so a key `__proto__` stays a key.
  return Object.fromEntries(
    kept.map(([key, member]) => [key, preserveNulls.includes(key) ? member : withoutNulls(member, preserveNulls)]),
  );
}
