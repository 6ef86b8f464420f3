/** Lookups of what follows from the use of flags, from memory. */
import type { Catalog } from '../catalog/catalog.ts';
import { isArchived } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { FurtherCondition } from '../domain/judgement/findings.ts';
import type { FlagInUse } from '../domain/usage/flag-in-use.ts';
import { type FlagLifecycle, lifecycleOf } from '../domain/usage/lifecycle.ts';
import { findStale, type StaleDays, type StaleFinding, type StaleRules } from '../domain/usage/stale-finding.ts';
import { presentUsageCondition, usageCondition } from '../domain/usage/usage-condition.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { KnownUsage } from './known-usage.ts';

export interface UsageLookupsParts {
  readonly catalog: Pick<Catalog, 'flagContextOf' | 'effectOf' | 'childrenOf'>;
  readonly known: Pick<KnownUsage, 'of' | 'measured' | 'isRead'>;
  readonly staleDays: StaleDays;
  /** Ms since 1970. */
  readonly now: () => number;
}

export interface UsageLookups {
  readonly of: (flag: FeatureFlag) => FlagInUse;
  readonly usageOf: (flag: FeatureFlag) => FlagInUse['usage'];
  readonly lifecycleOf: (flag: FeatureFlag) => FlagLifecycle;
  /** Undefined if there is no evidence for the removal of the flag. */
  readonly findingOf: (flag: FeatureFlag) => StaleFinding | undefined;
  /** The conditions for the flag's status. */
  readonly conditionsOf: (flag: FeatureFlag) => readonly FurtherCondition[];
}

export function createUsageLookups({ catalog, known, staleDays, now }: UsageLookupsParts): UsageLookups {
  const usageOf = (flag: FeatureFlag) => known.of(flag.metadata.uid);
  const subjectOf = (flag: FeatureFlag): FlagInUse => ({
    flag,
    environments: catalog.flagContextOf(flag).environments,
    enabledIn: catalog.effectOf(flag).enabledIn,
    usage: usageOf(flag),
    dependents: catalog
      .childrenOf(flag)
      .filter((child) => !isArchived(child))
      .map(wireNameOf)
      .sort(),
  });
  const rules = (): StaleRules => ({ measured: known.measured(), staleDays, now: now() });
  return {
    of: subjectOf,
    usageOf,
    lifecycleOf: (flag) => lifecycleOf(subjectOf(flag)),
    findingOf: (flag) => findStale(subjectOf(flag), rules()),
    conditionsOf: (flag) => (known.isRead() ? usageCondition(subjectOf(flag), rules()) : presentUsageCondition(flag)),
  };
}
