/** Waits for the caches to show something. */

interface Waiting {
  readonly caches: readonly { subscribe(listener: () => void): () => void }[];
  readonly signal: AbortSignal;
}

/**
 * Resolves with the first answer of `look` that is not undefined, and rejects with what it throws. It is asked now, and
 * once after changes of these caches, however many. Rejects with the reason of the signal when that comes first.
 */
export function until<T>(look: () => T | undefined, { caches, signal }: Waiting): Promise<T> {
  return new Promise((resolve, reject) => {
    let isPlanned = false;
    const settle = (end: () => void) => {
      for (const stop of subscriptions) stop();
      signal.removeEventListener('abort', abort);
      end();
    };
    const abort = () => settle(() => reject(signal.reason));
    const ask = () => {
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
      if (!isPlanned) setImmediate(ask);
      isPlanned = true;
    };
    const subscriptions = caches.map((cache) => cache.subscribe(plan));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else ask();
  });
}
