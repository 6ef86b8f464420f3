/** The wait before the next attempt. */

export interface BackoffParts {
  readonly baseMs: number;
  readonly capMs: number;
  /** Between 0 (included) and 1 (excluded), like `Math.random`. */
  readonly random: () => number;
}

/** The wait before the next attempt, by the number of failures in a row before the latest one. */
export type Backoff = (failuresBefore: number) => number;

/**
 * Exponential back-off with full jitter, which spreads the attempts of many callers best. It never gives up. See
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function exponentialBackoff({ baseMs, capMs, random }: BackoffParts): Backoff {
  return (failuresBefore) => Math.floor(random() * Math.min(capMs, baseMs * 2 ** failuresBefore));
}
