/** Lets reconciles give way to many writes of callers: all wait for the same API server. */

interface Writes {
  readonly inProgress: number;
}

/** As many as one bulk operation has. */
const FEW = 8;
const MEANWHILE = 2;
/** Below the threshold of the alert VexilQueueLatency. */
const AT_MOST_MS = 8_000;

/**
 * How many keys may be processed at the same time when the first has waited this long. Writes that go on for longer than
 * statuses may wait get no more way until they are few.
 */
export function givingWay(writes: Writes): (waitedMs: number) => number {
  let isOver = false;
  return (waitedMs) => {
    const areFew = writes.inProgress <= FEW;
    isOver = !areFew && (isOver || waitedMs >= AT_MOST_MS);
    return areFew || isOver ? Number.POSITIVE_INFINITY : MEANWHILE;
  };
}
