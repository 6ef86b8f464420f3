/** Time: the clock that callers pass in, durations, and times as text. */

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

export const DAY_MS = 24 * 3_600_000;

/** The time in UTC, in whole seconds, as Kubernetes writes it. */
export function timestampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

const FIRST_TIME = 0;
/** Times of a status have a year of four digits. */
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The time in UTC, with milliseconds. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A time for a status, with milliseconds. Undefined if there is none, or it cannot be written in a status. */
export function timeTextOf(at: number | undefined): string | undefined {
  const isWritable = at !== undefined && at >= FIRST_TIME && at <= LAST_TIME;
  return isWritable ? new Date(at).toISOString() : undefined;
}
