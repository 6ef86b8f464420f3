/** Aborts when the caller disconnects before the answer. */
import type { Response } from 'express';
import { Refusal } from '../../errors.ts';

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
