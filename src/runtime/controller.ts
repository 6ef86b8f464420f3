/** A queue with the workers that empty it. */

import { createQueue, type Queue, type QueueParts } from './queue.ts';
import { runWorkers, type WorkerParts } from './worker.ts';

export interface ControllerParts extends QueueParts, Omit<WorkerParts, 'queue' | 'signal'> {}

export interface Controller {
  readonly queue: Queue;
  /** Works until the signal aborts and the last running reconcile has ended. */
  run(signal: AbortSignal): Promise<void>;
}

export function createController(parts: ControllerParts): Controller {
  const queue = createQueue(parts);
  return { queue, run: (signal) => runWorkers({ ...parts, queue, signal }) };
}
