/** The freeze of an environment that is in force, as a function of its spec and the time. */
import type { FrozenEnvironment } from '../../errors.ts';
import { DAY_MS, timestampOf } from '../../model/clock.ts';
import type { Freeze } from '../../schema/freeze.ts';
import { beginsAfter, mergePeriods, type Period, periodsOf } from './freeze-periods.ts';

/** The part of an environment's spec that defines freezes. */
export interface Freezing {
  readonly freezes?: readonly Freeze[] | null | undefined;
}

export interface FreezeInForce {
  readonly freeze: Freeze;
  /** In ms since 1970. */
  readonly until: number;
}

/** The end of a weekly freeze that never ends is shown as at most this far ahead. */
const SHOWN_MS = 7 * DAY_MS;
/** Longer than a week: if clocks are set back, the next time is more than seven days ahead. */
const AHEAD_MS = 9 * DAY_MS;

function within(now: number, ms: number): Period {
  return { from: now, until: now + ms };
}

/**
 * If several freezes are in force, the one that lasts longest; if several end together, the first in the spec. `now` is
 * in ms since 1970.
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

/** When the result of `freezeAt` may next change, in ms since 1970. Undefined if it changes only with the spec. */
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

/** For messages. The sentence has no article and no full stop. */
export function freezeSentence({ environment, name, until, reason = '' }: FrozenEnvironment): string {
  const why = reason === '' ? '' : ` (${reason})`;
  return `environment "${environment}" is frozen until ${timestampOf(until)} by the freeze "${name}"${why}`;
}
