/** Aborts when the caller disconnects before the answer. */
import type { Response } from 'express';
import { Refusal } from '../../errors.ts';
import { type Turn, turnsOfRequest } from '../../runtime/turns.ts';

const signals = new WeakMap<Response, AbortSignal>();

/** One signal per response; its reason is a Refusal `unavailable`. */
export function goneSignal(response: Response): AbortSignal {
  const existing = signals.get(response);
  if (existing) return existing;
  const gone = new AbortController();
  const leave = () => {
    if (!response.writableFinished) gone.abort(new Refusal('unavailable', 'The caller has disconnected.'));
  };
  response.once('close', leave);
  if (response.destroyed) leave();
  signals.set(response, gone.signal);
  return gone.signal;
}

/** The turns for the work on an answer. They throw the reason of the signal once the caller has disconnected. */
export function turnsUntilGone(response: Response): Turn {
  return turnsOfRequest(() => {
    if (response.destroyed) goneSignal(response).throwIfAborted();
  });
}

/** Whether the error only says that nobody waits for the answer any more. */
export function isOfGone(response: Response, error: unknown): boolean {
  return response.destroyed && error === goneSignal(response).reason;
}
