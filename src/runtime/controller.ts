/** A queue with the workers that empty it. */

import type { Logger } from '../telemetry/logger.ts';
import type { Outcome } from './outcome.ts';
import { createQueue, type Queue, type QueueParts, type Retry } from './queue.ts';
import { nextTurn } from './turns.ts';

/**
 * One in this number of workers may process keys of low priority, at least one worker. Each of them has a write at the
 * API server most of the time, and the writes and watch events of all others wait for those. docs/performance.md
 * compares several numbers.
 */
const LOW_SHARE = 4;

export interface ControllerParts extends Omit<QueueParts, 'maxLow'>, Omit<WorkerParts, 'queue' | 'signal'> {}

export interface Controller {
  readonly queue: Queue;
  /** Works until the signal aborts and the last running reconcile has ended. */
  run(signal: AbortSignal): Promise<void>;
}

export function createController(parts: ControllerParts): Controller {
  const queue = createQueue({ ...parts, maxLow: Math.ceil(parts.concurrency / LOW_SHARE) });
  return { queue, run: (signal) => runWorkers({ ...parts, queue, signal }) };
}

/** A run that threw an error, with its retry. */
export interface FailedRun extends Retry {
  readonly key: string;
  readonly error: unknown;
  /** The logger of the run. */
  readonly logger: Logger;
}

export interface WorkerParts {
  readonly queue: Queue;
  /** How many keys are processed at the same time. */
  readonly concurrency: number;
  /** The logger for one run of a key, with the reason of the run: its facts are on every line of that run. */
  readonly loggerOf: (key: string, reason: string) => Logger;
  readonly reconcile: (key: string, logger: Logger) => Promise<Outcome>;
  readonly onError: (failed: FailedRun) => void;
  readonly signal: AbortSignal;
}

/** Resolves when the signal has aborted and the last running reconcile has ended. The queue is shut down then. */
export async function runWorkers(parts: WorkerParts): Promise<void> {
  const { queue, concurrency, signal } = parts;
  const close = (): void => queue.shutDown();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  try {
    await Promise.all(Array.from({ length: concurrency }, () => work(parts)));
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

async function work({ queue, loggerOf, reconcile, onError }: WorkerParts): Promise<void> {
  for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
    const logger = loggerOf(key, queue.reasonOf(key));
    try {
      const outcome = await reconcile(key, logger);
      logger.debug({ againMs: outcome.again?.afterMs }, 'reconcile: done');
      // No user waits for a run that only time requires.
      if (outcome.again) queue.addAfter(key, outcome.again.afterMs, { priority: 'low', reason: 'requeue' });
      queue.forget(key);
    } catch (error) {
      onError({ key, error, logger, ...queue.addRateLimited(key, retryAfterMs(error)) });
    } finally {
      queue.done(key);
    }
    // Runs that never wait must not keep requests waiting.
    await nextTurn();
  }
}

/** The wait that the other side requested, as with HTTP's Retry-After. */
function retryAfterMs(error: unknown): number {
  const seconds = (error as { retryAfterSeconds?: unknown } | null | undefined)?.retryAfterSeconds;
  return typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : 0;
}
