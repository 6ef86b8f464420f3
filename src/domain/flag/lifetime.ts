/** The expected lifetime of flags (docs/unleash-compatibility.md#flag-types). */
import { DAY_MS } from '../../model/clock.ts';
import type { FeatureFlag, FlagSpec, FlagType } from '../../schema/feature-flag.ts';
import type { Finding } from '../judgement/findings.ts';
import { flagTypeOf, isArchived } from './flag-values.ts';

/** In days; undefined: unlimited. */
export const lifetimeDaysByType: Readonly<Record<FlagType, number | undefined>> = {
  release: 40,
  experiment: 40,
  operational: 7,
  'kill-switch': undefined,
  permission: undefined,
};

/** The flag's own lifetime takes precedence over that of its type. Undefined: unlimited. */
function lifetimeDaysOf(spec: FlagSpec): number | undefined {
  return spec.lifetimeDays ?? lifetimeDaysByType[flagTypeOf(spec)];
}

/** When the flag becomes potentially stale, in ms since 1970; undefined: never. */
export function outlivesAt(flag: FeatureFlag): number | undefined {
  const days = lifetimeDaysOf(flag.spec);
  if (days === undefined || flag.spec.stale || isArchived(flag)) return undefined;
  return Date.parse(flag.metadata.creationTimestamp) + days * DAY_MS;
}

/** The finding about a flag that has exceeded its lifetime. */
export function lifetimeExceeded({ spec, metadata }: FeatureFlag): Finding {
  const [type, days] = [flagTypeOf(spec), lifetimeDaysOf(spec)];
  const created = `was created on ${metadata.creationTimestamp.slice(0, 10)}: mark it stale or archive it`;
  const finding = { severity: 'Warning', reason: 'LifetimeExceeded' } as const;
  return spec.lifetimeDays === undefined
    ? {
        ...finding,
        path: ['type'],
        message: `a flag of type ${type} is expected to live ${days} days and this one ${created}`,
      }
    : { ...finding, path: ['lifetimeDays'], message: `lifetimeDays is ${days} and the flag ${created}` };
}
