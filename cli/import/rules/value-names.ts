/** Names of variants for values of other products. */
import { isWireName } from '../../../src/schema/fields/shapes.ts';

/** Returns the first list of names that variants can have, otherwise numbered ones. */
export function valueNames(values: readonly unknown[], candidates: readonly (readonly unknown[])[]): readonly string[] {
  const names = [...candidates, values, values.map(String)].find(areNames);
  return names ? names.map(String) : values.map((_, index) => `variation-${index}`);
}

function areNames(names: readonly unknown[]): boolean {
  return names.every((name) => typeof name === 'string' && isWireName(name)) && new Set(names).size === names.length;
}
