/** What ends an exchange before its answer does: its time, or the caller. */
import { AppError } from '../errors.ts';
import { failedConnection } from './errors.ts';

const TIMEOUT_MS = 30_000;

export interface Limits {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

export interface Deadline {
  /** Where the end takes hold: the request, later its answer. */
  guard(exchange: { destroy(error?: Error): unknown }): void;
  throwIfOver(): void;
  /** The answer has begun: from now on only the caller ends it. */
  open(): void;
  release(): void;
  /** The error to throw for one that was met: the caller's own reason, the timeout, or the failure. */
  explain(error: unknown): unknown;
}

/** Starts the time of one call, which ends early when its signal aborts. */
export function deadline(action: string, call: Limits): Deadline {
  const timeoutMs = call.timeoutMs ?? TIMEOUT_MS;
  let guarded: { destroy(error?: Error): unknown } | undefined;
  let timedOut: AppError | undefined;
  const end = (): void => {
    guarded?.destroy(new Error('The call was ended'));
  };
  const timer = setTimeout(() => {
    timedOut = new AppError('unavailable', `The API server did not answer within ${timeoutMs} ms (${action})`);
    end();
  }, timeoutMs);
  call.signal?.addEventListener('abort', end, { once: true });
  return {
    guard(exchange) {
      guarded = exchange;
      if (timedOut !== undefined || call.signal?.aborted) end();
    },
    throwIfOver() {
      call.signal?.throwIfAborted();
      if (timedOut !== undefined) throw timedOut;
    },
    open: () => clearTimeout(timer),
    release() {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', end);
    },
    explain(error) {
      if (call.signal?.aborted) return call.signal.reason;
      return timedOut ?? failedConnection(action, error);
    },
  };
}
