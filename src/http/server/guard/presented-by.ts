/** The credentials and the address of a request. */
import { isIP } from 'node:net';
import type { Request } from 'express';
import type { Presented } from '../../../access/authentication/authenticate.ts';
import type { Sessions } from '../../../access/sessions/sessions.ts';
import { cookieIn, refuseForgery, SESSION_COOKIE } from './session-cookie.ts';

/** A dual-stack socket shows IPv4 addresses in their IPv6 form (RFC 4291 §2.5.5.2). */
const MAPPED = /^::ffff:(?=[\d.]+$)/i;

export function presentedBy({ headers, ip = '' }: Request): Presented {
  // Behind proxies, the address comes from a header, and goes into the log and onto objects.
  const from = isIP(ip) === 0 ? undefined : ip.replace(MAPPED, '');
  return { authorization: headers.authorization, from };
}

/** As `presentedBy`, without sessions. Browsers say which page has sent the request, and programs do not. */
export function presentedOpenly(request: Request): Presented {
  const isFromConsole = request.headers['sec-fetch-site'] === 'same-origin';
  return { ...presentedBy(request), isFromConsole };
}

/** As `presentedBy`, for callers that may have a session. The header takes precedence. */
export async function presentedInSession(request: Request, sessions: Sessions): Promise<Presented> {
  const presented = presentedBy(request);
  if (presented.authorization !== undefined) return presented;
  const cookie = cookieIn(request, SESSION_COOKIE);
  if (cookie === undefined) return presented;
  refuseForgery(request);
  return { ...presented, ...(await sessions.credentialsIn(cookie)), isFromConsole: true };
}
