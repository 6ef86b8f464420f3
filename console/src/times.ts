/** Formats times for people. */

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
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
