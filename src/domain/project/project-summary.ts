/** Counts and health of the flags of a project. */
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { FlagEffect } from '../flag/effect.ts';
import { isArchived } from '../flag/flag-values.ts';
import { outlivesAt } from '../flag/lifetime.ts';

export interface ProjectSummary {
  /** Flags that are not archived. */
  readonly flags: number;
  readonly stale: number;
  /** Flags that are not stale, and past the lifetime of their type. */
  readonly potentiallyStale: number;
  /** 0 to 100: the share of flags that are neither (docs/unleash-compatibility.md#project-health). */
  readonly health: number;
  /** How many flags are on, by environment. */
  readonly enabled: ReadonlyMap<string, number>;
  /** The next time at which the summary changes without an event, in ms since 1970. */
  readonly validUntil: number;
}

export interface ProjectCounts {
  readonly summary: ProjectSummary;
  readonly members: number;
}

/** What one flag adds to the summary of its project. */
export interface CountedFlag {
  readonly isStale: boolean;
  /** When the flag becomes potentially stale, in ms since 1970; infinite: never. */
  readonly endsAt: number;
  readonly enabledIn: ReadonlySet<string>;
}

export function countFlag(flag: FeatureFlag, { enabledIn }: FlagEffect): CountedFlag {
  return { isStale: flag.spec.stale === true, endsAt: outlivesAt(flag) ?? Number.POSITIVE_INFINITY, enabledIn };
}

/** Archived flags do not count. `now` in ms since 1970. */
export function summarize(
  all: Iterable<FeatureFlag>,
  countedOf: (flag: FeatureFlag) => CountedFlag,
  now: number,
): ProjectSummary {
  const enabled = new Map<string, number>();
  let [flags, stale, potentiallyStale, validUntil] = [0, 0, 0, Number.POSITIVE_INFINITY];
  for (const flag of all) {
    if (isArchived(flag)) continue;
    const { isStale, endsAt, enabledIn } = countedOf(flag);
    flags += 1;
    if (isStale) stale += 1;
    if (endsAt <= now) potentiallyStale += 1;
    else validUntil = Math.min(validUntil, endsAt);
    for (const name of enabledIn) enabled.set(name, (enabled.get(name) ?? 0) + 1);
  }
  const health = healthOf({ flags, stale, potentiallyStale });
  return { flags, stale, potentiallyStale, health, enabled, validUntil };
}

function healthOf({ flags, stale, potentiallyStale }: { flags: number; stale: number; potentiallyStale: number }) {
  return flags === 0 ? 100 : Math.round(100 - (stale / flags) * 100 - (potentiallyStale / flags) * 100);
}

/** The summary of a project without flags. */
export const emptySummary: ProjectSummary = {
  flags: 0,
  stale: 0,
  potentiallyStale: 0,
  health: 100,
  enabled: new Map(),
  validUntil: Number.POSITIVE_INFINITY,
};
