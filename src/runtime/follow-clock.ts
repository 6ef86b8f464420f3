/** Notices that the machine's clock was set forward, or that the machine was suspended: timers go on as if nothing had happened. */
import { type Clock, pause } from '../model/clock.ts';

const LOOK_EVERY_MS = 1000;
/** Smaller steps are corrections of a clock that is synchronized; a recheck is late by as much. */
const JUMP_MS = 5000;

interface Parts {
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Calls `onSetForward` within a second of each jump; resolves when the signal aborts. */
export async function followClock({ clock, now, signal }: Parts, onSetForward: () => void): Promise<void> {
  const ahead = () => now() - clock.now();
  let before = ahead();
  while (!signal.aborted) {
    await pause(clock, LOOK_EVERY_MS, signal);
    const after = ahead();
    if (after - before > JUMP_MS) onSetForward();
    before = after;
  }
}
