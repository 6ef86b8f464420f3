/** Formats times for people. */

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { style: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const zoned = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
});

/** The time zone in which times are shown, such as Europe/Berlin. */
export const zoneName = (): string => zoned.resolvedOptions().timeZone;

/** Formats a time of the API. */
export const timeText = (text: string): string => time.format(new Date(text));
/** Includes the zone, for times of future events. */
export const zonedTimeText = (text: string): string => zoned.format(new Date(text));
export const dayText = (text: string): string => day.format(new Date(text));
/** Without the year. */
export const shortDayText = (text: string): string => shortDay.format(new Date(text));

const HOUR_MS = 3_600_000;
const UNITS = [
  ['day', 24 * HOUR_MS],
  ['hour', HOUR_MS],
  ['minute', HOUR_MS / 60],
] as const;
const MAX_DAYS = 30;

/** Such as "3 hr ago"; undefined if it is longer ago than a month. `now` in ms since 1970. */
export function sinceText(text: string, now: number): string | undefined {
  const ago = now - Date.parse(text);
  if (ago > MAX_DAYS * 24 * HOUR_MS) return undefined;
  const known = UNITS.find(([, ms]) => ago >= ms);
  return known ? relative.format(-Math.floor(ago / known[1]), known[0]) : 'just now';
}
