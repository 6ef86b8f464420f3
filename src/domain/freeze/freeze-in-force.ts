/** Which freeze of an environment is in force, as a function of its spec and the time. */
import { DAY_MS } from '../../model/durations.ts';
import type { Freeze } from '../../schema/freeze.ts';
import { beginsAfter, mergePeriods, type Period, periodsOf } from './freeze-periods.ts';

/** The spec of an environment, as far as freezes go. */
export interface Freezing {
  readonly freezes?: readonly Freeze[] | null | undefined;
}

export interface FreezeInForce {
  readonly freeze: Freeze;
  /** In ms since 1970. */
  readonly until: number;
}

/** A weekly freeze that never ends is shown up to here. */
const SHOWN_MS = 7 * DAY_MS;
/** Longer than a week: where clocks are set back, the next time is more than seven days ahead. */
const AHEAD_MS = 9 * DAY_MS;

function within(now: number, ms: number): Period {
  return { from: now, until: now + ms };
}

/**
 * Of several, the one that lasts longest; of those that end together, the first of the spec. `now` in ms since 1970.
 */
export function freezeAt({ freezes }: Freezing, now: number): FreezeInForce | undefined {
  return (freezes ?? [])
    .flatMap((freeze): FreezeInForce[] => {
      const period = mergePeriods(periodsOf(freeze, within(now, SHOWN_MS))).find(
        ({ from, until }) => from <= now && now < until,
      );
      return period ? [{ freeze, until: period.until }] : [];
    })
    .reduce<FreezeInForce | undefined>((last, one) => (last && last.until >= one.until ? last : one), undefined);
}

/** When `freezeAt` may next answer otherwise, in ms since 1970. Undefined: not before a change of the spec. */
export function nextFreezeChange({ freezes }: Freezing, now: number): number | undefined {
  const bounds = (freezes ?? []).flatMap((freeze) => {
    const range = freeze.days
      ? within(Math.max(now, beginsAfter(freeze)), AHEAD_MS)
      : { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
    return periodsOf(freeze, range).flatMap(({ from, until }) => [from, until]);
  });
  const ahead = bounds.filter((bound) => bound > now);
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
}
