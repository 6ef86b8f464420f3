/** Chooses how many Events are published at the same time. */

/** The outcome of one round of Events. */
export interface RoundTimes {
  /** Durations of the Events that the API server accepted. */
  readonly tookMs: readonly number[];
  /** The API server asked for fewer requests, or did not answer. */
  readonly isOverloaded: boolean;
}

export const START_CONCURRENCY = 2;
/** A higher concurrency slows down the changes of callers (docs/performance.md#a-change-during-a-start). */
export const MAX_CONCURRENCY = 4;
/** An idle API server answers a POST within about 5 ms. */
const FAST_MS = 20;
const SLOW_MS = 100;

/**
 * Adds one while half of the answers are fast; halves the number when answers are slow or the API server is overloaded.
 */
export function nextConcurrency(present: number, { tookMs, isOverloaded }: RoundTimes): number {
  const p50Ms = tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length / 2)];
  if (isOverloaded || (p50Ms ?? 0) > SLOW_MS) return Math.max(1, Math.floor(present / 2));
  return p50Ms !== undefined && p50Ms <= FAST_MS ? Math.min(MAX_CONCURRENCY, present + 1) : present;
}
