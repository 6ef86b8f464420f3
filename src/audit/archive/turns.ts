/** Lets a bounded number of searches run at a time, and a bounded number wait. */
import { AppError } from '../../errors.ts';

export interface TurnsParts {
  /** How many run at a time. */
  readonly places: number;
  /** How many may wait for a place. */
  readonly waiting: number;
  /** How long each of them may wait. */
  readonly waitMs: number;
}

export interface Turns {
  /**
   * Runs the work once there is a place. Rejects with AppError `busy` when too many wait or the wait is too long, and
   * with the reason of the signal when that aborts first.
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

const RETRY_SECONDS = 5;

export function createTurns({ places, waiting, waitMs }: TurnsParts): Turns {
  let free = places;
  /** Each is given a place that has become free. */
  const queue = new Set<() => void>();

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    if (queue.size >= waiting) throw busy();
    await placeOf(signal);
  }

  function placeOf(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        queue.delete(take);
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
      };
      const take = () => {
        stop();
        resolve();
      };
      const leave = () => {
        stop();
        reject(signal.aborted ? signal.reason : busy());
      };
      const timer = setTimeout(leave, waitMs);
      signal.addEventListener('abort', leave, { once: true });
      queue.add(take);
    });
  }

  function giveBack(): void {
    const [next] = queue;
    if (next) next();
    else free += 1;
  }

  return {
    async run(signal, work) {
      await enter(signal);
      try {
        return await work();
      } finally {
        giveBack();
      }
    },
  };
}

function busy(): AppError {
  const message =
    'Too many searches of the history run at the moment. Nothing was searched. Try again in a few seconds.';
  return new AppError('busy', message, { retryAfterSeconds: RETRY_SECONDS });
}
