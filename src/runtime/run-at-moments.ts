/** Looks in time at the flags whose windows and ramps change what is in effect: one timer for all of them. */
import type { PlannedMoments } from '../catalog/planned-moments.ts';
import { type Clock, pause } from '../model/clock.ts';

/** A plan that is new, or a clock that was set forward, is noticed within this time. */
const LOOK_EVERY_MS = 500;

interface Parts {
  readonly moments: Pick<PlannedMoments, 'nextAt' | 'pass'>;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export async function followMoments({ moments, clock, now, signal }: Parts): Promise<void> {
  while (!signal.aborted) {
    const leftMs = Math.max(1, Math.ceil(moments.nextAt() - now()));
    await pause(clock, Math.min(leftMs, LOOK_EVERY_MS), signal);
    moments.pass();
  }
}
