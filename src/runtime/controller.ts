/** A queue with the workers that empty it. */

import { createQueue, type Queue, type QueueParts } from './queue.ts';
import { runWorkers, type WorkerParts } from './worker.ts';

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
