/** Ends a call to the API server on its timeout or when the caller aborts. */
import { ClusterError } from '../../errors.ts';
import { failedConnection } from './errors.ts';

export interface Limits {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

export interface Deadline {
  /** Sets what the deadline destroys: first the request, later its response. */
  guard(exchange: { destroy(error?: Error): unknown }): void;
  throwIfOver(): void;
  /** The response has started: the timeout no longer applies, only the caller's signal. */
  open(): void;
  release(): void;
  /** Maps a caught error to the one to throw: the reason of the signal, the timeout, or the connection failure. */
  explain(error: unknown): unknown;
}

/** Starts the timeout of one call; the call also ends when its signal aborts. */
export function deadline(action: string, call: Limits): Deadline {
  const { timeoutMs } = call;
  let guarded: { destroy(error?: Error): unknown } | undefined;
  let timedOut: ClusterError | undefined;
  const end = (): void => {
    guarded?.destroy(new Error('The call was ended'));
  };
  const timer = setTimeout(() => {
    timedOut = new ClusterError('unavailable', `The API server did not answer within ${timeoutMs} ms (${action})`);
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
