/** Lets Events wait while callers write much: both wait for the same API server, and nobody waits for an Event. */
import { type Clock, pause } from '../../model/clock.ts';

export interface Writes {
  readonly inProgress: number;
}

/** As many as one bulk operation has. */
const FEW = 8;
const LOOK_EVERY_MS = 100;
export const MAX_WAIT_MS = 10_000;

/**
 * Resolves when few writes are in progress, at the latest after `MAX_WAIT_MS`. Writes that go on for longer are not waited
 * for again until they are few.
 */
export function waitForCallers(writes: Writes, clock: Clock): (signal: AbortSignal) => Promise<void> {
  let isOver = false;
  return async (signal) => {
    const from = clock.now();
    while (writes.inProgress > FEW && !isOver && !signal.aborted) {
      await pause(clock, LOOK_EVERY_MS, signal);
      isOver = clock.now() - from >= MAX_WAIT_MS;
    }
    if (writes.inProgress <= FEW) isOver = false;
  };
}
