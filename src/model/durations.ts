/** Durations in milliseconds. */

export const DAY_MS = 24 * 3_600_000;
