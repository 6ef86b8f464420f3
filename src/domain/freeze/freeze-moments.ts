/** The moments at which freezes of an environment begin and end. */
import { DAY_MS } from '../../model/clock.ts';
import type { Freeze } from '../../schema/freeze.ts';
import type { Freezing } from './freeze-in-force.ts';
import { mergePeriods, type Period, periodsOf } from './freeze-periods.ts';

export interface FreezeMoment {
  /** In ms since 1970. */
  readonly at: number;
  readonly change: 'began' | 'ended';
  readonly freeze: Freeze;
}

/** Longer than a week: a weekly freeze that never ends has no bound inside the range. */
const MARGIN_MS = 9 * DAY_MS;

/** The moments after `from` up to and including `until`, in their order. */
export function freezeMoments({ freezes }: Freezing, { from, until }: Period): readonly FreezeMoment[] {
  const range = { from: from - MARGIN_MS, until: until + MARGIN_MS };
  return (freezes ?? [])
    .flatMap((freeze) =>
      mergePeriods(periodsOf(freeze, range)).flatMap((period): FreezeMoment[] => [
        { at: period.from, change: 'began', freeze },
        { at: period.until, change: 'ended', freeze },
      ]),
    )
    .filter(({ at }) => at > from && at <= until)
    .sort((one, other) => one.at - other.at);
}

/** The time of the last moment up to `now`, in ms since 1970. Undefined if there was none. */
export function lastFreezeMoment({ freezes }: Freezing, now: number): number | undefined {
  const weekly = freezeMoments(
    { freezes: (freezes ?? []).filter(({ days }) => days) },
    { from: now - MARGIN_MS, until: now },
  );
  const once = (freezes ?? [])
    .filter(({ days }) => !days)
    .flatMap(({ from, until }) => [Date.parse(from), Date.parse(until)]);
  const passed = [...weekly.map(({ at }) => at), ...once].filter((at) => at <= now);
  return passed.length > 0 ? Math.max(...passed) : undefined;
}
