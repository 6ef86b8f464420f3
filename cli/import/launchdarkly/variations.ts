/** The variations of a LaunchDarkly flag by names that variants can have. */

import { isRecord } from '../../../src/model/json.ts';
import { isWireName } from '../../../src/schema/shapes.ts';
import { type Given, listOf } from '../rules/records.ts';

/** In their order, by which rules refer to them. */
export function variationsOf(given: unknown): ReadonlyMap<string, unknown> {
  const list = listOf(given);
  const values = list.map((one) => (isRecord(one) && 'value' in one ? one['value'] : one));
  const named = list.map((one) => (isRecord(one) ? one['name'] : undefined));
  const names = [named, values, values.map(String)].find(areNames) ?? values.map((_, index) => `variation-${index}`);
  return new Map(values.map((value, index) => [String(names[index]), value]));
}

function areNames(names: readonly unknown[]): boolean {
  return names.every((name) => typeof name === 'string' && isWireName(name)) && new Set(names).size === names.length;
}

export function valueAt(flag: Given, index: unknown): unknown {
  return typeof index === 'number' ? [...variationsOf(flag['variations']).values()][index] : undefined;
}

export function nameAt(flag: Given, index: unknown): string | undefined {
  return typeof index === 'number' ? [...variationsOf(flag['variations']).keys()][index] : undefined;
}
