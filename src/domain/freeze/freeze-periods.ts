/** The periods in which a freeze is in force. */
import { DAY_MS } from '../../model/clock.ts';
import { type Freeze, weekdays } from '../../schema/freeze.ts';
import { instantsOf, isTimeZone, localTime } from './time-in-zone.ts';

/** In ms since 1970; `until` is exclusive. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

const UTC = 'UTC';

/** The periods that overlap the range, in their order. Empty if the time zone does not exist. */
export function periodsOf(freeze: Freeze, range: Period): readonly Period[] {
  const periods = freeze.days ? weeklyPeriods(freeze, range) : [oncePeriod(freeze)];
  return periods.filter(({ from, until }) => from < range.until && until > range.from);
}

function oncePeriod({ from, until }: Freeze): Period {
  return { from: Date.parse(from), until: Date.parse(until) };
}

/** A period that is ambiguous because clocks are set has the longest possible length: nothing changes by surprise. */
function weeklyPeriods({ days = [], from, until, timeZone = UTC, firstDay }: Freeze, range: Period): readonly Period[] {
  if (!isTimeZone(timeZone)) return [];
  const [begins, ends] = [timeOfDayMs(from), timeOfDayMs(until)];
  const lasts = ends > begins ? ends : ends + DAY_MS;
  // A period that began on the previous day may extend into the range.
  const first = startOfDay(localTime(timeZone, range.from)) - DAY_MS;
  const count = Math.ceil((range.until - range.from) / DAY_MS) + 3;
  return Array.from({ length: count }, (_, index) => first + index * DAY_MS)
    .filter((day) => days.includes(weekdays[new Date(day).getUTCDay()] ?? 'Sun') && day >= startOfFirst(firstDay))
    .map((day) => ({
      from: Math.min(...instantsOf(timeZone, day + begins)),
      until: Math.max(...instantsOf(timeZone, day + lasts)),
    }));
}

/** A weekly freeze does not begin before this time, in ms since 1970. */
export function beginsAfter({ firstDay }: Freeze): number {
  // No clock is ahead of UTC by a day.
  return startOfFirst(firstDay) - DAY_MS;
}

function startOfFirst(firstDay: string | undefined): number {
  return firstDay === undefined ? Number.NEGATIVE_INFINITY : Date.parse(`${firstDay}T00:00:00Z`);
}

function startOfDay(local: number): number {
  return Math.floor(local / DAY_MS) * DAY_MS;
}

/** The time since midnight, from a text such as `18:30`. */
function timeOfDayMs(text: string): number {
  return (Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))) * 60_000;
}

/** Merges periods that touch or overlap; the result is in order. */
export function mergePeriods(periods: readonly Period[]): readonly Period[] {
  const merged: Period[] = [];
  for (const period of periods.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (!last || period.from > last.until) merged.push(period);
    else merged[merged.length - 1] = { from: last.from, until: Math.max(last.until, period.until) };
  }
  return merged;
}
