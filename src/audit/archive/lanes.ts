/** Runs searches beside each other so that a short one never waits for a long one. */
import { AppError } from '../../errors.ts';
import { createLimiter, type Limiter } from '../../runtime/limiter.ts';
import type { Db } from './tables.ts';

/** Connections for searches alone. */
export interface Searcher {
  /** Runs a search on a connection that nobody else has meanwhile. The signal ends what the database does for it. */
  use<T>(ending: Ending, work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** When a search ends, whether it has found something or not. */
export interface Ending {
  /** Aborts when the caller has gone. */
  readonly caller: AbortSignal;
  /** From when it has its connection. */
  readonly limitMs: number;
}

/** A search has not ended in its time, and was ended. */
class LimitReached extends Error {}

export interface SearchLimits {
  /** Every search begins among the short ones, and begins anew among the long ones when it takes longer than this. */
  readonly shortMs: number;
  /** What takes longer than this is refused. */
  readonly longMs: number;
  /** So many of each wait for others to end, and for so long. */
  readonly waiting: number;
  readonly waitMs: number;
}

/** What a search that took too long once is likely to take again soon after. */
const RETRY_SECONDS = 30;

const TOO_MANY = {
  message: 'Too many searches of the history run at the moment. Nothing was searched. Try again in a few seconds.',
  retryAfterSeconds: 5,
};

export const SEARCH_LIMITS: SearchLimits = { shortMs: 150, longMs: 10_000, waiting: 32, waitMs: 10_000 };

export interface LanesParts {
  readonly limits: SearchLimits;
  /** How many short ones run at a time, and on what. */
  readonly short: Lane;
  readonly long: Lane;
}

export interface Lane {
  readonly places: number;
  readonly searcher: Searcher;
}

export interface Lanes {
  /** Rejects with AppError `busy` when it takes too long or too many others run, and with the reason of the signal. */
  run<T>(caller: AbortSignal, work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function createLanes({ limits, short, long }: LanesParts): Lanes {
  const { waiting, waitMs } = limits;
  const limiterOf = ({ places }: Lane): Limiter =>
    createLimiter({ concurrency: places, maxWaiting: waiting, maxWaitMs: waitMs, refusal: TOO_MANY });
  const [shortLimiter, longLimiter] = [limiterOf(short), limiterOf(long)];
  return {
    async run(caller, work) {
      try {
        return await shortLimiter.run(caller, () => short.searcher.use({ caller, limitMs: limits.shortMs }, work));
      } catch (error) {
        if (!(error instanceof LimitReached)) throw error;
      }
      try {
        return await longLimiter.run(caller, () => long.searcher.use({ caller, limitMs: limits.longMs }, work));
      } catch (error) {
        throw error instanceof LimitReached ? tooLong(limits.longMs) : error;
      }
    },
    async close() {
      await Promise.all([short.searcher.close(), long.searcher.close()]);
    },
  };
}

/** Runs a search with a signal that aborts at its end, and says which of the two ends it was. */
export async function withEnding<T>({ caller, limitMs }: Ending, work: (ended: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new LimitReached()), limitMs);
  try {
    return await work(AbortSignal.any([caller, limit.signal]));
  } catch (error) {
    caller.throwIfAborted();
    limit.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(longMs: number): AppError {
  const message = `The search of the history took longer than ${longMs / 1000} s and was ended. Narrow it: name a flag, a project or days, or search for a longer text.`;
  return new AppError('busy', message, { retryAfterSeconds: RETRY_SECONDS });
}
