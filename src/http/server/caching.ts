/** Forbids caches to store answers. */
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
