/** Keeps web pages away from an API that asks nobody who they are: a browser on the same machine can reach it. */
import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../errors.ts';

const LOCAL = /^(https?:\/\/)?(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Refuses a foreign Host (DNS rebinding) or Origin (a page of another site). */
export function refuseForeignPages({ headers }: Request, _response: Response, next: NextFunction): void {
  refuseForeign('Host', headers.host ?? '');
  if (headers.origin !== undefined) refuseForeign('Origin', headers.origin);
  next();
}

function refuseForeign(header: string, place: string): void {
  if (LOCAL.test(place)) return;
  const message = `Without authentication only callers on this machine are served. You sent the ${header} ${JSON.stringify(place.slice(0, 200))}.`;
  throw new AppError('forbidden', message);
}
