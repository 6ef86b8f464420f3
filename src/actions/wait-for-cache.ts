/** Waits until caches satisfy a condition. */

interface Waiting {
  readonly caches: readonly { subscribe(listener: () => void): () => void }[];
  readonly signal: AbortSignal;
}

/**
 * Resolves with the first result of `look` that is not undefined, and rejects with its error. `look` is called at once,
 * and once for all changes of the caches within a turn of the event loop. An abort rejects with the reason of the
 * signal.
 */
export function waitForCache<T>(look: () => T | undefined, { caches, signal }: Waiting): Promise<T> {
  return new Promise((resolve, reject) => {
    let isPlanned = false;
    const settle = (end: () => void) => {
      for (const stop of subscriptions) stop();
      signal.removeEventListener('abort', abort);
      end();
    };
    const abort = () => settle(() => reject(signal.reason));
    const check = () => {
      isPlanned = false;
      if (signal.aborted) return;
      try {
        const answer = look();
        if (answer !== undefined) settle(() => resolve(answer));
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const plan = () => {
      if (!isPlanned) setImmediate(check);
      isPlanned = true;
    };
    const subscriptions = caches.map((cache) => cache.subscribe(plan));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else check();
  });
}
