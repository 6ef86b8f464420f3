/** The cookie of a session in requests and answers. */
import type { Request } from 'express';
import { Refusal } from '../../../errors.ts';
import { quoteValue } from '../../../model/invalid-input.ts';
import { LOOPBACK } from './local-only.ts';

/** The two names of a cookie. */
interface CookieKind {
  /** Browsers accept the prefix only with Secure, Path=/ and without Domain (RFC 6265bis §4.1.3.2). */
  readonly secure: `__Host-${string}`;
  /** The name over http on this machine, where a cookie cannot be Secure in every browser. */
  readonly loopback: string;
  /** Lax: the cookie is also sent when another site leads the browser here. */
  readonly sameSite: 'Strict' | 'Lax';
}

export const SESSION_COOKIE: CookieKind = {
  secure: '__Host-vexil',
  loopback: 'vexil-loopback',
  sameSite: 'Strict',
};
/** The cookie of a sign-in at the identity provider, which leads the browser back. */
export const SIGN_IN_COOKIE: CookieKind = {
  secure: '__Host-vexil-sign-in',
  loopback: 'vexil-loopback-sign-in',
  sameSite: 'Lax',
};

export interface CookieContent {
  readonly value: string;
  /** Ms since 1970. */
  readonly endsAt: number;
}

const SAFE = ['GET', 'HEAD', 'OPTIONS'];

function isLoopbackHttp({ headers, secure }: Request): boolean {
  return !secure && LOOPBACK.test(headers.host ?? '');
}

/** Behind a proxy that sends `Host: localhost`, only the page itself states that it uses https. */
export function isSecurePage(request: Request): boolean {
  return !isLoopbackHttp(request) || /^https:/i.test(request.headers.origin ?? '');
}

/** The value of the cookie; undefined if the request has none. A browser accepts the secure cookie over https only. */
export function cookieIn(request: Request, { secure, loopback }: CookieKind): string | undefined {
  const names = isLoopbackHttp(request) ? [secure, loopback] : [secure];
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const named = (name: string) => pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  return names.map(named).find((value) => value !== undefined);
}

/** The Set-Cookie header. `now` in ms since 1970. */
export function setCookie(
  { secure, loopback, sameSite }: CookieKind,
  { value, endsAt }: CookieContent,
  { isSecure, now }: { readonly isSecure: boolean; readonly now: number },
): string {
  const [name, attribute] = isSecure ? [secure, '; Secure'] : [loopback, ''];
  const maxAge = Math.max(0, Math.floor((endsAt - now) / 1000));
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly${attribute}; SameSite=${sameSite}`;
}

/** The Set-Cookie header that ends the cookie in the browser. */
export function noCookie(kind: CookieKind, isSecure: boolean): string {
  return setCookie(kind, { value: '', endsAt: 0 }, { isSecure, now: 0 });
}

/** A page of another origin could send the cookie: only pages of this origin may change something with it. */
export function refuseForgery(request: Request): void {
  if (SAFE.includes(request.method)) return;
  const { origin, host = '', 'sec-fetch-site': site } = request.headers;
  const own = `${isLoopbackHttp(request) ? 'http' : 'https'}://${host}`.toLowerCase();
  const isOwn = site === undefined ? origin?.toLowerCase() === own : site === 'same-origin';
  if (isOwn) return;
  const sent = site === undefined ? `the Origin ${quoteValue(origin)}` : `the Sec-Fetch-Site ${quoteValue(site)}`;
  throw new Refusal('forbidden', `With a session only pages of this address may change something. You sent ${sent}.`);
}
