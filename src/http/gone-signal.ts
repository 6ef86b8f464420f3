/** Aborts when the connection of the caller is closed before the answer. */
import type { Response } from 'express';
import { AppError } from '../errors.ts';

const signals = new WeakMap<Response, AbortSignal>();

/** The same signal for the same response; its reason is an `unavailable`. */
export function goneSignal(response: Response): AbortSignal {
  const known = signals.get(response);
  if (known) return known;
  const gone = new AbortController();
  const leave = () => gone.abort(new AppError('unavailable', 'The caller has hung up.'));
  response.once('close', leave);
  if (response.destroyed) leave();
  signals.set(response, gone.signal);
  return gone.signal;
}
