/** JSON text that is equal for equal values, whatever the order of their keys. */

/** A member that is undefined is absent. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? '';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
