/** Prerequisites of a LaunchDarkly flag as dependencies, which hold in all environments. */
import { isDeepStrictEqual } from 'node:util';
import { recordOf, recordsIn } from '../../../src/model/json.ts';
import type { Dependency } from '../../../src/schema/dependency.ts';
import { all } from '../rules/alternatives.ts';
import type { Given } from '../rules/records.ts';
import { nameAt, valueAt } from './variations.ts';

/** Returns undefined if environments differ, a flag is not there, or Vexil has no such dependency. */
export function dependenciesOf(flag: Given, flags: readonly Given[]): readonly Dependency[] | undefined {
  const places = Object.values(recordOf(flag['environments'])).map((place) =>
    recordsIn(recordOf(place)['prerequisites']),
  );
  const [first = [], ...others] = places.map((list) => list.map((one) => dependencyOf(one, flags)));
  return others.every((list) => isDeepStrictEqual(list, first)) ? all(first) : undefined;
}

/** A parent that is off never fulfils a prerequisite. */
function dependencyOf({ key, variation }: Given, flags: readonly Given[]): Dependency | undefined {
  const parent = flags.find((one) => one['key'] === key);
  const value = parent && valueAt(parent, variation);
  if (!parent || typeof key !== 'string' || value === undefined || value === false) return undefined;
  if (value === true) return { feature: key };
  const name = nameAt(parent, variation);
  return name === undefined ? undefined : { feature: key, variants: [name] };
}
