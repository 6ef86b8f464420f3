/** Time as the engine sees it: handed in, so that tests can move it by hand. */
import { uptime } from 'node:os';

export interface Clock {
  /** Milliseconds that only grow. Not a date: setting the machine's clock does not move it. */
  now(): number;
  /** Calls `wake` once after this time, never before `after` has returned. The answer cancels. */
  after(ms: number, wake: () => void): () => void;
}

/** Node fires a timer at once when its delay does not fit into 31 bits. */
const longestTimerMs = 2 ** 31 - 1;

/** The clock of the running process. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, wake) => {
    let timer = arm(ms);
    function arm(leftMs: number): NodeJS.Timeout {
      const nextMs = Math.min(leftMs, longestTimerMs);
      return setTimeout(() => {
        if (leftMs > nextMs) timer = arm(leftMs - nextMs);
        else wake();
      }, nextMs);
    }
    return () => clearTimeout(timer);
  },
};

/** The same, but the time for which the machine was suspended counts, too. It goes in steps of 10 ms. */
export const suspendAwareClock: Clock = { ...systemClock, now: () => uptime() * 1000 };
