/** Tells caches what they may do with an answer. */
import type { NextFunction, Request, Response } from 'express';

/**
 * Applies to the whole admin API, errors included: answers depend on the caller, and any flag may contain an e-mail
 * address or a pasted secret. ETags still work for callers that keep answers themselves.
 */
export const CACHE_CONTROL = 'no-store';

export function forbidStoring(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', CACHE_CONTROL);
  next();
}

/** SDKs and their proxies store answers, and ask each time whether they are still valid. */
export const REVALIDATE = 'private, no-cache';

/** The name must not be in the header yet: unlike Express, this function does not check. */
export function varyBy(response: Response, name: string): void {
  const before = response.getHeader('Vary');
  response.setHeader('Vary', before === undefined ? name : `${before}, ${name}`);
}
