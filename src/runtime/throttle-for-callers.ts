/** Throttles reconciles while callers write many objects: both wait for the same API server. */

interface Writes {
  readonly areMany: boolean;
}

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
    hasExpired = writes.areMany && (hasExpired || waitedMs >= MAX_THROTTLE_MS);
    return !writes.areMany || hasExpired ? Number.POSITIVE_INFINITY : MAX_CONCURRENT_THROTTLED;
  };
}
