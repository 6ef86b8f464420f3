/** The clocks and the time of the running process. */
import { uptime } from 'node:os';
import type { Clock } from '../model/clock.ts';

/** Node fires a timer at once when its delay does not fit into 31 bits. */
const maxTimerMs = 2 ** 31 - 1;

/** The clock of the running process. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, wake) => {
    let timer = arm(ms);
    function arm(leftMs: number): NodeJS.Timeout {
      const nextMs = Math.min(leftMs, maxTimerMs);
      return setTimeout(() => {
        if (leftMs > nextMs) timer = arm(leftMs - nextMs);
        else wake();
      }, nextMs);
    }
    return () => clearTimeout(timer);
  },
};

/**
 * The time in ms since 1970, which never decreases: after the machine's clock was set back, the time stands still until
 * the clock has caught up.
 */
export function monotonicTime(read: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    last = Math.max(last, read());
    return last;
  };
}

/** The clock of the process, including the time for which the machine was suspended. It has steps of 10 ms. */
export const suspendAwareClock: Clock = { ...systemClock, now: () => uptime() * 1000 };
