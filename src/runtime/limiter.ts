/** Lets a bounded number of tasks run at a time, and a bounded number wait for a bounded time. */
import { Refusal } from '../errors.ts';

export interface LimiterParts {
  /** How many tasks run at a time. */
  readonly concurrency: number;
  /** How many tasks may wait. */
  readonly maxWaiting: number;
  /** How long each task may wait. */
  readonly maxWaitMs: number;
  /** The message for a refused task, and when its caller may try again. */
  readonly refusal: { readonly message: string; readonly retryAfterSeconds: number };
}

export interface Limiter {
  /**
   * Runs the task once a place is free. Rejects with Refusal `busy` if too many tasks wait or the wait is too long, and
   * with the reason of the signal if it aborts first. A task that has begun is not cancelled.
   */
  run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T>;
}

export function createLimiter({ concurrency, maxWaiting, maxWaitMs, refusal }: LimiterParts): Limiter {
  let free = concurrency;
  /** The waiting tasks in the order of their arrival. Each gets the place of a task that has ended. */
  const waiting = new Set<() => void>();
  const busy = () => new Refusal('busy', refusal.message, { retryAfterSeconds: refusal.retryAfterSeconds });

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    if (waiting.size >= maxWaiting) throw busy();
    await wait(signal);
  }

  function wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        waiting.delete(begin);
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
      };
      const begin = () => {
        stop();
        resolve();
      };
      const leave = () => {
        stop();
        reject(signal.aborted ? signal.reason : busy());
      };
      const timer = setTimeout(leave, maxWaitMs);
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(begin);
    });
  }

  function release(): void {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  }

  return {
    async run(signal, task) {
      await enter(signal);
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
