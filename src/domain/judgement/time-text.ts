/** Times as text. */

const FIRST_TIME = 0;
/** Times of a status have a year of four digits. */
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The time in UTC, with milliseconds. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A time for a status, with milliseconds. Undefined if there is none, or it cannot be written in a status. */
export function timeTextOf(at: number | undefined): string | undefined {
  const isWritable = at !== undefined && at >= FIRST_TIME && at <= LAST_TIME;
  return isWritable ? new Date(at).toISOString() : undefined;
}
