/** A queue with the workers that empty it. */
import type { Backoff } from './backoff.ts';
import type { Clock } from './clock.ts';
import { createQueue, type Queue } from './queue.ts';
import { runWorkers, type WorkerParts } from './worker.ts';

export interface ControllerParts extends Omit<WorkerParts, 'queue' | 'signal'> {
  readonly clock: Clock;
  readonly backoff: Backoff;
}

export interface Controller {
  readonly queue: Queue;
  /** Works until the signal aborts and the last running reconcile has ended. */
  run(signal: AbortSignal): Promise<void>;
}

export function createController(parts: ControllerParts): Controller {
  const queue = createQueue(parts);
  return { queue, run: (signal) => runWorkers({ ...parts, queue, signal }) };
}
