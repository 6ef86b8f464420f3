/** Runs short and long searches in separate lanes, so that short ones never wait for long ones. */
import { Refusal } from '../../errors.ts';
import { createLimiter, type Limiter } from '../../runtime/limiter.ts';
import type { Db } from './tables.ts';

/** Connections that serve searches only. */
export interface Searcher {
  /** Runs a search on an exclusive connection. `ending` also cancels its statement in the database. */
  use<T>(ending: Ending, work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** What cancels a search. */
export interface Ending {
  /** Aborts when the client disconnects. */
  readonly caller: AbortSignal;
  /** Counted from when the search has its connection. */
  readonly limitMs: number;
}

/** A search exceeded its time limit and was cancelled. */
class LimitReached extends Error {}

export interface SearchLimits {
  /** Every search starts in the short lane and restarts in the long lane if it takes longer than this. */
  readonly shortMs: number;
  /** A search that takes longer is rejected. */
  readonly longMs: number;
  /** Length of each lane's queue, and how long a search waits in it. */
  readonly waiting: number;
  readonly waitMs: number;
}

/** A search that took too long is likely to do so again soon. */
const RETRY_SECONDS = 30;

const TOO_MANY = {
  message: 'Too many searches of the history run at the moment. Nothing was searched. Try again in a few seconds.',
  retryAfterSeconds: 5,
};

export const SEARCH_LIMITS: SearchLimits = { shortMs: 150, longMs: 10_000, waiting: 32, waitMs: 10_000 };

export interface LanesParts {
  readonly limits: SearchLimits;
  /** Concurrency and connections of the short searches. */
  readonly short: Lane;
  readonly long: Lane;
}

export interface Lane {
  readonly places: number;
  readonly searcher: Searcher;
}

export interface Lanes {
  /** Rejects with Refusal `busy` if the search takes too long or too many run, and with the reason of the signal. */
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

/** Runs a search with a signal for both endings. Throws the caller's reason or `LimitReached`, whichever ended it. */
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

function tooLong(longMs: number): Refusal {
  const message = `The search of the history took longer than ${longMs / 1000} s and was ended. Narrow it: name a flag, a project or days, or search for a longer text.`;
  return new Refusal('busy', message, { retryAfterSeconds: RETRY_SECONDS });
}
