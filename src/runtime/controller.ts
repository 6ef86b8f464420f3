/** A queue with the workers that empty it. */

import { createQueue, type Queue, type QueueParts } from './queue.ts';
import { runWorkers, type WorkerParts } from './worker.ts';

/**
 * One worker of so many may process keys of low priority, at least one. Each has a write at the API server most of the
 * time, and everybody else's writes and watch events wait for those. docs/performance.md compares numbers of them.
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
