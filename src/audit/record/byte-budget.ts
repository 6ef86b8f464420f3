/** Limits the memory of buffered watch events: when it is full, the watches are not read further (backpressure). */
import { createNotifier } from './notifier.ts';

export interface ByteBudget {
  /** Sizes are in characters. */
  enter(size: number): void;
  leave(size: number): void;
  /** Undefined if the budget is not exceeded; otherwise a promise that resolves when half of it is free. */
  pace(): Promise<void> | undefined;
}

/** Characters of buffered objects, for all kinds and namespaces together. */
const MAX_BUFFERED = 32 * 1024 * 1024;

/** Aborting the signal resolves all waits. */
export function createByteBudget(signal: AbortSignal, max = MAX_BUFFERED): ByteBudget {
  let size = 0;
  const drained = createNotifier();
  signal.addEventListener('abort', drained.notify, { once: true });
  return {
    enter(added) {
      size += added;
    },
    leave(removed) {
      size -= removed;
      if (size <= max / 2) drained.notify();
    },
    pace: () => (size > max && !signal.aborted ? drained.notified() : undefined),
  };
}
