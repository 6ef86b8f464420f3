/**
 * Detects that the machine's clock was set forward, or that the machine was suspended: timers continue as if nothing
 * had happened.
 */
import { type Clock, pause } from '../model/clock.ts';

const LOOK_EVERY_MS = 1000;
/**
 * A smaller change, in one step or in several, is a correction of a synchronized clock; a recheck is late by the same
 * time.
 */
const JUMP_MS = 5000;

interface Parts {
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * Calls `onSetForward` within a second after each jump, including a jump in small steps; resolves when the signal
 * aborts, and rejects if a call does.
 */
export async function followClock(
  { clock, now, signal }: Parts,
  onSetForward: () => void | Promise<void>,
): Promise<void> {
  const ahead = () => now() - clock.now();
  let before = ahead();
  while (!signal.aborted) {
    await pause(clock, LOOK_EVERY_MS, signal);
    const after = ahead();
    const isSetForward = after - before > JUMP_MS;
    if (isSetForward) await onSetForward();
    before = isSetForward ? after : Math.min(before, after);
  }
}
