/** Keeps answers out of every cache. */
import type { NextFunction, Request, Response } from 'express';

/**
 * One rule for all of the admin API, errors included: what is answered depends on who asks, and any flag may hold an
 * e-mail address or a value that somebody pasted. ETags still work for callers that keep an answer themselves.
 */
export const CACHE_CONTROL = 'no-store';

export function forbidStoring(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', CACHE_CONTROL);
  next();
}
