/** The credentials and the address of a request. */
import { isIP } from 'node:net';
import type { Request } from 'express';
import type { Presented } from '../../access/authenticate.ts';

/** A socket of both families calls IPv4 addresses by their names in IPv6 (RFC 4291 §2.5.5.2). */
const MAPPED = /^::ffff:(?=[\d.]+$)/i;

export function presentedBy({ headers, ip = '' }: Request): Presented {
  // Behind proxies it is what a header says, and goes into the log and onto objects.
  const from = isIP(ip) === 0 ? undefined : ip.replace(MAPPED, '');
  return { authorization: headers.authorization, from };
}
