/** Protects an API without authentication from web pages in a browser on the same machine. */
import type { NextFunction, Request, Response } from 'express';
import { Refusal } from '../../../errors.ts';

/** A Host that names this machine; also decides which cookie is set. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Refuses a foreign Host (DNS rebinding) and requests from pages of another origin, which includes another port. */
export function refuseForeignPages(request: Request, _response: Response, next: NextFunction): void {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  if (!LOOPBACK.test(host)) throw foreign('Host', host);
  if (origin !== undefined && !isOriginOf(host, origin)) throw foreign('Origin', origin);
  if (site !== undefined && !OWN_SITES.includes(`${site}`) && !isNavigation(request)) {
    throw foreign('Sec-Fetch-Site', `${site}`);
  }
  next();
}

/** `none`: the user typed the address. */
const OWN_SITES = ['same-origin', 'none'];

/** Ignores the scheme, which differs behind a local TLS proxy. */
function isOriginOf(host: string, origin: string): boolean {
  return origin.replace(/^https?:\/\//i, '').toLowerCase() === host.toLowerCase();
}

/** A link that the user follows: the other page cannot read the answer. */
function isNavigation({ method, headers }: Request): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
}

function foreign(header: string, value: string): Refusal {
  const message = `Without authentication only callers on this machine and pages of this address are served. You sent the ${header} ${JSON.stringify(value.slice(0, 200))}.`;
  return new Refusal('forbidden', message);
}
