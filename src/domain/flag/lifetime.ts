/** The expected lifetime of flags (docs/unleash-compatibility.md#flag-types). */
import type { FeatureFlag, FlagType } from '../../schema/feature-flag.ts';
import type { Finding } from '../judgement/findings.ts';
import { flagTypeOf, isArchived } from './flag-values.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days; undefined: for good. */
export const lifetimeDaysByType: Readonly<Record<FlagType, number | undefined>> = {
  release: 40,
  experiment: 40,
  operational: 7,
  'kill-switch': undefined,
  permission: undefined,
};

/** When the flag becomes potentially stale, in ms since 1970; undefined: never. */
export function outlivesAt(flag: FeatureFlag): number | undefined {
  const days = lifetimeDaysByType[flagTypeOf(flag.spec)];
  if (days === undefined || flag.spec.stale || isArchived(flag)) return undefined;
  return Date.parse(flag.metadata.creationTimestamp) + days * DAY_MS;
}

/** The finding about a flag that has outlived its lifetime. */
export function lifetimeExceeded({ spec, metadata }: FeatureFlag): Finding {
  const type = flagTypeOf(spec);
  const created = metadata.creationTimestamp.slice(0, 10);
  return {
    severity: 'Warning',
    reason: 'LifetimeExceeded',
    path: ['type'],
    message: `a flag of type ${type} is expected to live ${lifetimeDaysByType[type]} days and this one was created on ${created}: mark it stale or archive it`,
  };
}
