/** Whether a flag is configured alike in two environments. */
import { isDeepStrictEqual } from 'node:util';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { environmentOf, strategiesOf, variantsIn } from './flag-values.ts';

/** Compares strategies in their order, variants and windows, but not switches. */
export function isConfiguredAlike(flag: FeatureFlag, one: string, other: string): boolean {
  return isDeepStrictEqual(configurationIn(flag, one), configurationIn(flag, other));
}

/**
 * The configuration without keys and sort orders, which differ in each environment; members without a value count as
 * absent.
 */
function configurationIn(flag: FeatureFlag, name: string): unknown {
  const environment = environmentOf(flag.spec, name);
  const { activeFrom, activeUntil } = environment;
  const strategies = strategiesOf(environment).map(({ strategy: { sortOrder: _, segments, ...rest } }) => ({
    ...rest,
    disabled: rest.disabled ?? false,
    segments: (segments ?? []).toSorted(),
  }));
  return withoutAbsent({ activeFrom, activeUntil, strategies, variants: variantsIn(flag, name) });
}

/** The JSON form of the value, in which undefined members are left out. */
function withoutAbsent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
