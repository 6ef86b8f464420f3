/** Values of other products by names of variants. */
import { isWireName } from '../../../src/schema/fields/shapes.ts';

/** The names are given ones or the values where variants can have these, and otherwise numbered. */
export function namedValues(
  values: readonly unknown[],
  given: readonly unknown[] = values,
): ReadonlyMap<string, unknown> {
  const names = [given, values, values.map(String)].find(areNames);
  return new Map(values.map((value, index) => [names ? String(names[index]) : `variation-${index}`, value]));
}

function areNames(names: readonly unknown[]): boolean {
  return names.every((name) => typeof name === 'string' && isWireName(name)) && new Set(names).size === names.length;
}
