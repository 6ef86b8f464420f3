/** Lets one request at a time do what takes much memory; others wait for a while. */
import pLimit from 'p-limit';
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
  const limit = pLimit(1);
  return (run, signal) =>
    new Promise((resolve, reject) => {
      let hasLeft = false;
      const leave = () => {
        hasLeft = true;
        const busy = new AppError('unavailable', message, { retryAfterSeconds: waitMs / 1000 });
        reject(signal.aborted ? signal.reason : busy);
      };
      const timer = setTimeout(leave, waitMs);
      signal.addEventListener('abort', leave, { once: true });
      void limit(async () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        if (!hasLeft && !signal.aborted) await run().then(resolve, reject);
        else leave();
      });
    });
}
