/** The reported use of flags, from memory, as answers show it. */
import { isArchived } from '../../domain/flag/flag-values.ts';
import type { FlagLifecycle } from '../../domain/usage/lifecycle.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { UsageReader } from '../../usage/usage.ts';
import type { UsageLookups } from '../../usage/usage-lookups.ts';
import type { ShownUsage } from '../../wire/admin/flag/feature-usage.ts';

export interface FlagUsageSource {
  readonly reader: Pick<UsageReader, 'lastHour' | 'lastEdges'>;
  readonly lookups: Pick<UsageLookups, 'usageOf' | 'lifecycleOf'>;
}

export interface FlagUsages {
  readonly lastSeenAt: (flag: FeatureFlag) => number | undefined;
  readonly lifecycleOf: (flag: FeatureFlag) => FlagLifecycle;
  readonly shown: (flag: FeatureFlag) => ShownUsage;
  /** Equal texts mean equal usage; undefined if there is none. */
  readonly versionOf: (flag: FeatureFlag) => string | undefined;
}

const noEvaluations = { yes: 0, no: 0 };

export function createFlagUsages({ reader, lookups }: FlagUsageSource): FlagUsages {
  const lastIn = (flag: FeatureFlag) =>
    new Map(lookups.usageOf(flag).map(({ environment, lastAt }) => [environment, lastAt]));
  // The status has the day of the last use even after the database was lost.
  const lastSeenAt = (flag: FeatureFlag, last = lastIn(flag)): number | undefined => {
    const stored = Date.parse(flag.status?.lastSeenAt ?? '');
    const times = [...last.values(), stored].filter(Number.isFinite);
    return times.length === 0 ? undefined : Math.max(...times);
  };
  /** Whether the flag has usage to show. The stage of other flags is initial, and they were not seen. */
  const hasVersion = (flag: FeatureFlag): boolean =>
    isArchived(flag) ||
    flag.spec.stale === true ||
    flag.status?.lastSeenAt !== undefined ||
    lookups.usageOf(flag).length > 0;
  return {
    lastSeenAt: (flag) => lastSeenAt(flag),
    lifecycleOf: lookups.lifecycleOf,
    shown(flag) {
      const last = lastIn(flag);
      const hour = reader.lastHour(flag.metadata.uid);
      const edges = reader.lastEdges(flag.metadata.uid);
      return {
        lastAt: lastSeenAt(flag, last),
        lifecycle: lookups.lifecycleOf(flag),
        in: (environment) => ({
          lastAt: last.get(environment),
          through: edges.get(environment),
          ...(hour.get(environment) ?? noEvaluations),
        }),
      };
    },
    versionOf(flag) {
      if (!hasVersion(flag)) return undefined;
      const last = lastIn(flag);
      const { stage, enteredAt } = lookups.lifecycleOf(flag);
      const hour = [...reader.lastHour(flag.metadata.uid)].map(([name, { yes, no }]) => `${name} ${yes} ${no}`);
      const seen = [...last].map(([name, at]) => `${name} ${at}`);
      const edges = [...reader.lastEdges(flag.metadata.uid)].map(([name, edge]) => `${name} ${Object.values(edge)}`);
      return [stage, enteredAt, flag.status?.lastSeenAt, ...seen, ...edges, ...hour].join('\n');
    },
  };
}
