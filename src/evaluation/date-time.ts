/** Dates as text. */

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:[.]\d{1,9})?)?(Z|[-+]\d\d:\d\d)?)?$/;

/**
 * In ms since 1970; undefined if the text is not an ISO 8601 date. A date without a time is midnight, and a time
 * without a zone is UTC.
 */
export function parseDateTime(text: string): number | undefined {
  const [, date, zone] = DATE_TIME.exec(text) ?? [];
  if (date === undefined || !isInCalendar(date)) return undefined;
  const time = Date.parse(zone === undefined && text.includes('T') ? `${text}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}

/** `Date.parse` takes 30 February for a day in March. */
function isInCalendar(date: string): boolean {
  const time = Date.parse(date);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
