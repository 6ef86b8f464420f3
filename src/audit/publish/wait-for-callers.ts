/**
 * Delays Events while callers write many objects: both wait for the same API server, and no caller waits for an Event.
 */
import { type Clock, pause } from '../../model/clock.ts';

export interface Writes {
  readonly areMany: boolean;
}

const LOOK_EVERY_MS = 100;
export const MAX_WAIT_MS = 10_000;

/**
 * Resolves when few writes are in progress, at the latest after `MAX_WAIT_MS`. After that, Events are delayed again
 * only once the writes were few.
 */
export function waitForCallers(writes: Writes, clock: Clock): (signal: AbortSignal) => Promise<void> {
  let isOver = false;
  return async (signal) => {
    const from = clock.now();
    while (writes.areMany && !isOver && !signal.aborted) {
      await pause(clock, LOOK_EVERY_MS, signal);
      isOver = clock.now() - from >= MAX_WAIT_MS;
    }
    if (!writes.areMany) isOver = false;
  };
}
