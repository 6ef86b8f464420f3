/** Runs work at planned moments with one timer. */
import { type Clock, pause } from '../model/clock.ts';

/** The delay after which a new plan, or a clock that was set forward, is noticed at the latest. */
const LOOK_EVERY_MS = 500;

interface Parts {
  readonly moments: {
    /** Ms since 1970. */
    nextAt(): number;
    /** Does the work of the moments that have passed. */
    notifyPassed(): void;
  };
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export async function runAtMoments({ moments, clock, now, signal }: Parts): Promise<void> {
  while (!signal.aborted) {
    const leftMs = Math.max(1, Math.ceil(moments.nextAt() - now()));
    await pause(clock, Math.min(leftMs, LOOK_EVERY_MS), signal);
    moments.notifyPassed();
  }
}
