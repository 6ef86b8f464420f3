/** The writes of callers that are in progress, to which the operator's own writes give way (ADR 61). */
import { type Clock, pause } from '../model/clock.ts';

export interface CallerWrites {
  /** Whether more writes are in progress than one bulk operation has at a time. */
  readonly areMany: boolean;
  /** Counts the write until it settles. */
  during<R>(write: () => Promise<R>): Promise<R>;
}

type Writes = Pick<CallerWrites, 'areMany'>;

/** The number of writes of one bulk operation. */
const MAX_FEW_WRITES = 8;
const MAX_CONCURRENT_THROTTLED = 2;
const LOOK_EVERY_MS = 100;
/** Below the threshold of the alert VexilQueueLatency. */
export const MAX_GIVE_WAY_MS = 8_000;

export function countCallerWrites(): CallerWrites {
  let inProgress = 0;
  return {
    get areMany() {
      return inProgress > MAX_FEW_WRITES;
    },
    async during(write) {
      inProgress += 1;
      try {
        return await write();
      } finally {
        inProgress -= 1;
      }
    },
  };
}

/** Returns how many keys may be processed at the same time when the first has waited this long. */
export function throttleForCallers(writes: Writes): (waitedMs: number) => number {
  const givesWay = givingWayTo(writes);
  return (waitedMs) => (givesWay(waitedMs) ? MAX_CONCURRENT_THROTTLED : Number.POSITIVE_INFINITY);
}

/** Resolves when a write that no caller waits for may begin. */
export function waitForCallers(writes: Writes, clock: Clock): (signal: AbortSignal) => Promise<void> {
  const givesWay = givingWayTo(writes);
  return async (signal) => {
    const from = clock.now();
    while (!signal.aborted && givesWay(clock.now() - from)) await pause(clock, LOOK_EVERY_MS, signal);
  };
}

/**
 * Returns whether work that has waited this long still gives way. After the maximum, work gives way again only once
 * the writes of callers were few.
 */
function givingWayTo(writes: Writes): (waitedMs: number) => boolean {
  let hasExpired = false;
  return (waitedMs) => {
    hasExpired = writes.areMany && (hasExpired || waitedMs >= MAX_GIVE_WAY_MS);
    return writes.areMany && !hasExpired;
  };
}
