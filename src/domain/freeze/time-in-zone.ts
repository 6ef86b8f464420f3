/** The instants of a time of day in a time zone. */
import { DAY_MS } from '../../model/clock.ts';

/** A formatter takes 40 kB and much time to make. Names of time zones have many spellings, as case does not count. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 500;

export function isTimeZone(timeZone: string): boolean {
  try {
    formatterOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/** Ms by which the clocks of the zone are ahead of UTC at that time, in ms since 1970. */
function offsetAt(timeZone: string, at: number): number {
  const parts = formatterOf(timeZone).formatToParts(at);
  const [year = 0, month = 1, day = 0, hour = 0, minute = 0, second = 0] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  ).map((type) => Number(parts.find((part) => part.type === type)?.value));
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** The time on the clocks of the zone, as ms since 1970 of the same time in UTC. */
export function localTime(timeZone: string, at: number): number {
  return at + offsetAt(timeZone, at);
}

/**
 * The instants at which the clocks of the zone may show a local time, in the form of `localTime`. There are two if the
 * clocks are set back. If the clocks skip the time because they are set forward, the instants by either offset, between
 * which the clocks change.
 */
export function instantsOf(timeZone: string, local: number): readonly number[] {
  const offsets = [offsetAt(timeZone, local - DAY_MS), offsetAt(timeZone, local + DAY_MS)];
  const instants = [...new Set(offsets)].map((offset) => local - offset);
  const shown = instants.filter((at) => localTime(timeZone, at) === local);
  return shown.length > 0 ? shown : instants;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const fresh = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  formatters.set(timeZone, fresh);
  return fresh;
}
