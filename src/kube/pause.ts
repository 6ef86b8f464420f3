/** Waiting that an abort ends early. */

/** Time as this room needs it; the engine's clock fits. */
export interface Clock {
  now(): number;
  after(ms: number, wake: () => void): () => void;
}

/** Ends after the time or with the signal, whichever comes first; it never throws. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}
