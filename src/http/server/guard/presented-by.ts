/** The credentials and the address of a request. */
import { isIP, SocketAddress } from 'node:net';
import type { Request } from 'express';
import type { Presented } from '../../../access/authentication/authenticate.ts';
import type { Sessions } from '../../../access/sessions/sessions.ts';
import { cookieIn, refuseForgery, SESSION_COOKIE } from './session-cookie.ts';

/** A dual-stack socket shows IPv4 addresses in their IPv6 form (RFC 4291 §2.5.5.2). */
const MAPPED = /^::ffff:(?=[\d.]+$)/i;

export function presentedBy({ headers, ip = '' }: Pick<Request, 'headers' | 'ip'>): Presented {
  // Behind proxies, the address comes from a header, and goes into the log and onto objects.
  return { authorization: headers.authorization, from: addressIn(ip) };
}

/** In the shortest form (RFC 5952), without the zone of an IPv6 address, which names an interface of one machine. */
function addressIn(ip: string): string | undefined {
  const version = isIP(ip);
  if (version !== 6) return version === 0 ? undefined : ip;
  return new SocketAddress({ address: ip, family: 'ipv6' }).address.replace(MAPPED, '');
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
