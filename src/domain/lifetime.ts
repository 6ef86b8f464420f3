/** How long flags of each type are expected to live (facts §3). */
import type { FeatureFlag, FlagType } from '../schema/feature-flag.ts';
import { flagTypeOf, isArchived } from './flag-values.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days; undefined: for good. */
export const lifetimeDays: Readonly<Record<FlagType, number | undefined>> = {
  release: 40,
  experiment: 40,
  operational: 7,
  'kill-switch': undefined,
  permission: undefined,
};

/** When the flag becomes potentially stale, in ms since 1970; undefined: never. */
export function outlivesAt(flag: FeatureFlag): number | undefined {
  const days = lifetimeDays[flagTypeOf(flag.spec)];
  if (days === undefined || flag.spec.stale || isArchived(flag)) return undefined;
  return Date.parse(flag.metadata.creationTimestamp) + days * DAY_MS;
}
