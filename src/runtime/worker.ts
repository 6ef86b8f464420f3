/** Works through a queue until told to stop. */
import type { Clock } from './clock.ts';
import type { Outcome } from './outcome.ts';
import type { Queue, Retry } from './queue.ts';

/** A run that threw, with what comes next. */
export interface FailedRun extends Retry {
  readonly key: string;
  readonly error: unknown;
}

export interface WorkerParts {
  readonly queue: Queue;
  readonly clock: Clock;
  /** How many keys are worked on at the same time. */
  readonly concurrency: number;
  readonly reconcile: (key: string) => Promise<Outcome>;
  readonly onError: (failed: FailedRun) => void;
  readonly signal: AbortSignal;
}

/** How long runs that never wait for anything may keep timers and sockets waiting. */
const sliceMs = 10;

/** Resolves after the signal, when the last running reconcile has ended. The queue is closed then. */
export async function runWorkers(parts: WorkerParts): Promise<void> {
  const { queue, concurrency, signal } = parts;
  const close = (): void => queue.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  try {
    await Promise.all(Array.from({ length: concurrency }, () => work(parts)));
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

async function work({ queue, clock, reconcile, onError }: WorkerParts): Promise<void> {
  let since = clock.now();
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    try {
      const outcome = await reconcile(key);
      if (outcome.again) queue.addAfter(key, outcome.again.afterMs);
      queue.forget(key);
    } catch (error) {
      onError({ key, error, ...queue.retry(key, retryAfterMs(error)) });
    } finally {
      queue.release(key);
    }
    if (clock.now() - since >= sliceMs) {
      await new Promise<void>((resume) => clock.after(0, resume));
      since = clock.now();
    }
  }
}

/** What the other side asked for, as with HTTP's Retry-After. */
function retryAfterMs(error: unknown): number {
  const seconds = (error as { retryAfterSeconds?: unknown } | null | undefined)?.retryAfterSeconds;
  return typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : 0;
}
