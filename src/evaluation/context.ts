/** The context that a flag is evaluated for. */

/** Fields and properties as strings, by name. `currentTime` is always present. */
export type Context = ReadonlyMap<string, string>;

/**
 * Reads a context as SDKs write it: fields, and `properties` with further ones, which are overridden by a field of the
 * same name. Numbers and booleans become strings; null and nested values count as missing. `now` is in ms since 1970.
 */
export function readContext(given: Readonly<Record<string, unknown>>, now: number): Context {
  const { properties, ...fields } = given;
  const context = new Map([['currentTime', new Date(now).toISOString()]]);
  for (const source of [properties, fields]) {
    for (const [name, value] of Object.entries(source ?? {})) {
      if (isScalar(value)) context.set(name, String(value));
    }
  }
  return context;
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
