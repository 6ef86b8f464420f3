/** Keeps web pages away from an API that asks nobody who they are: a browser on the same machine can reach it. */
import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../errors.ts';

const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Refuses a foreign Host (DNS rebinding) or Origin (a page of another site). */
export function refuseForeignPages(request: Request, _response: Response, next: NextFunction): void {
  const { host, origin } = request.headers;
  for (const [header, url] of [['Host', `http://${host}`] as const, ['Origin', origin] as const]) {
    if (url === undefined || isLocal(url)) continue;
    const message = `Without authentication only callers on this machine are served. You sent the ${header} ${JSON.stringify(url.slice(0, 200))}.`;
    throw new AppError('forbidden', message);
  }
  next();
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && LOCAL.test(new URL(url).hostname);
}
