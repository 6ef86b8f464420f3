/** Lets one request at a time do what takes much memory; others wait for a while. */
import { AppError } from '../errors.ts';

/** Rejects with `unavailable` where it cannot begin soon, and with the reason of the signal where that aborts before. */
export type InTurn = <T>(run: () => Promise<T>, signal: AbortSignal) => Promise<T>;

interface Turns {
  /** How long a request waits; a body that is not read arrives in time all the same. */
  readonly waitMs: number;
  /** What is told to one that has waited. */
  readonly message: string;
}

export function oneAtATime({ waitMs, message }: Turns): InTurn {
  /** In the order in which they came; one that leaves is forgotten at once, with its request. */
  const waiting = new Set<() => void>();
  let isTaken = false;

  function enter(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        waiting.delete(begin);
        end();
      };
      const begin = () => settle(resolve);
      const busy = () => new AppError('unavailable', message, { retryAfterSeconds: waitMs / 1000 });
      const leave = () => settle(() => reject(signal.aborted ? signal.reason : busy()));
      const timer = setTimeout(leave, waitMs);
      signal.addEventListener('abort', leave);
      waiting.add(begin);
      if (signal.aborted) leave();
      else if (!isTaken) pass();
    });
  }

  function pass(): void {
    const [next] = waiting;
    isTaken = next !== undefined;
    next?.();
  }

  return async (run, signal) => {
    await enter(signal);
    try {
      return await run();
    } finally {
      pass();
    }
  };
}
