/** Throttles reconciles while callers write much: both wait for the same API server. */

interface Writes {
  readonly inProgress: number;
}

/** The number of writes of one bulk operation. */
export const MAX_WRITES_UNTHROTTLED = 8;
const MAX_CONCURRENT_THROTTLED = 2;
/** Below the threshold of the alert VexilQueueLatency. */
const MAX_THROTTLE_MS = 8_000;

/**
 * Returns how many keys may be processed at the same time when the first has waited this long. Throttling that has
 * reached its maximum duration starts again only after the writes were few.
 */
export function throttleForCallers(writes: Writes): (waitedMs: number) => number {
  let hasExpired = false;
  return (waitedMs) => {
    const areFew = writes.inProgress <= MAX_WRITES_UNTHROTTLED;
    hasExpired = !areFew && (hasExpired || waitedMs >= MAX_THROTTLE_MS);
    return areFew || hasExpired ? Number.POSITIVE_INFINITY : MAX_CONCURRENT_THROTTLED;
  };
}
