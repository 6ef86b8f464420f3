/** The clock that callers pass in, so that tests control the time. */

export interface Clock {
  /** Monotonic milliseconds. Not a date: setting the machine's clock does not change it. */
  now(): number;
  /**
   * Calls `wake` once after this time, never before `after` has returned. Returns a function that cancels the timer.
   */
  after(ms: number, wake: () => void): () => void;
}

/** Resolves after the time or when the signal aborts, whichever comes first; never rejects. */
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
