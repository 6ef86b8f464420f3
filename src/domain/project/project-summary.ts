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

/** `now` in ms since 1970. */
export function summarize(
  flags: readonly FeatureFlag[],
  effectOf: (flag: FeatureFlag) => FlagEffect,
  now: number,
): ProjectSummary {
  const present = flags.filter((flag) => !isArchived(flag));
  const ends = present.map((flag) => outlivesAt(flag) ?? Number.POSITIVE_INFINITY);
  const stale = present.filter(({ spec }) => spec.stale).length;
  const potentiallyStale = ends.filter((end) => end <= now).length;
  const validUntil = ends.reduce((first, end) => (end > now ? Math.min(first, end) : first), Number.POSITIVE_INFINITY);
  const health = healthOf({ flags: present.length, stale, potentiallyStale });
  return {
    flags: present.length,
    stale,
    potentiallyStale,
    health,
    enabled: countEnabled(present.map(effectOf)),
    validUntil,
  };
}

function countEnabled(effects: readonly FlagEffect[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of effects.flatMap(({ enabledIn }) => [...enabledIn])) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function healthOf({ flags, stale, potentiallyStale }: { flags: number; stale: number; potentiallyStale: number }) {
  return flags === 0 ? 100 : Math.round(100 - (stale / flags) * 100 - (potentiallyStale / flags) * 100);
}
