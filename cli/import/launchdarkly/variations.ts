/** The variations of a LaunchDarkly flag by names that variants can have. */
import { isRecord } from '../../../src/model/json.ts';
import { type Given, listOf } from '../rules/records.ts';
import { namedValues } from '../rules/value-names.ts';

/** In their order, by which rules refer to them. */
export function variationsOf(given: unknown): ReadonlyMap<string, unknown> {
  const list = listOf(given);
  const values = list.map((one) => (isRecord(one) && 'value' in one ? one['value'] : one));
  return namedValues(
    values,
    list.map((one) => (isRecord(one) ? one['name'] : undefined)),
  );
}

export function valueAt(flag: Given, index: unknown): unknown {
  return typeof index === 'number' ? [...variationsOf(flag['variations']).values()][index] : undefined;
}

export function nameAt(flag: Given, index: unknown): string | undefined {
  return typeof index === 'number' ? [...variationsOf(flag['variations']).keys()][index] : undefined;
}
