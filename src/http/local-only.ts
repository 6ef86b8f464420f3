/** Keeps web pages away from an API that asks nobody who they are: a browser on the same machine can reach it. */
import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../errors.ts';

const LOCAL = /^(https?:\/\/)?(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Refuses a foreign Host (DNS rebinding), and what a page of another origin sends: a port of its own is another origin. */
export function refuseForeignPages(request: Request, _response: Response, next: NextFunction): void {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  if (!LOCAL.test(host)) throw foreign('Host', host);
  if (origin !== undefined && !isOriginOf(host, origin)) throw foreign('Origin', origin);
  if (site !== undefined && !OWN_SITES.includes(`${site}`) && !isNavigation(request)) {
    throw foreign('Sec-Fetch-Site', `${site}`);
  }
  next();
}

/** `none`: the user typed the address. */
const OWN_SITES = ['same-origin', 'none'];

/** Of another scheme only behind a proxy with TLS on this machine. */
function isOriginOf(host: string, origin: string): boolean {
  return LOCAL.test(origin) && origin.replace(/^https?:\/\//i, '').toLowerCase() === host.toLowerCase();
}

/** A link that the user follows: the other page learns nothing of the answer. */
function isNavigation({ method, headers }: Request): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
}

function foreign(header: string, value: string): AppError {
  const message = `Without authentication only callers on this machine and pages of this address are served. You sent the ${header} ${JSON.stringify(value.slice(0, 200))}.`;
  return new AppError('forbidden', message);
}
