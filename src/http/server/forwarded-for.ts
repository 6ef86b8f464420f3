/** The addresses that proxies say they forward for, as Express reads them: without ports and brackets. */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';

/**
 * Rewrites `X-Forwarded-For` before Express reads it. Without that header, the addresses of `Forwarded` (RFC 7239) take
 * its place. Express still decides which of them to trust.
 */
export function normaliseForwarded({ headers }: Pick<Request, 'headers'>, _: Response, next: NextFunction): void {
  const addresses = forwardedFor(headers);
  if (addresses.length > 0) headers['x-forwarded-for'] = addresses.join(', ');
  next();
}

/** From the client to the last proxy. Values that are not addresses stay, because they count as proxies. */
export function forwardedFor(headers: IncomingHttpHeaders): readonly string[] {
  const listed = textOf(headers['x-forwarded-for']);
  // A client may send `Forwarded` through a proxy that knows only the older header.
  return listed === '' ? elementsOf(textOf(headers['forwarded'])) : listed.split(',').map(addressIn);
}

/** Node.js joins repeated lines of some headers, and lists those of others. */
function textOf(header: string | readonly string[] = ''): string {
  return typeof header === 'string' ? header.trim() : header.join(',').trim();
}

/** An element of `Forwarded`, or one parameter of it; a quoted value may contain commas and semicolons. */
const ELEMENT = /(?:"(?:\\.|[^"\\])*"|[^,"])+/g;
const FOR = /(?:^|;)\s*for\s*=\s*("(?:\\.|[^"\\])*"|[^;,\s]*)/i;

/** Longer headers are not read, because quotes that do not end take a time that is quadratic in their number. */
const MAX_FORWARDED_LENGTH = 1_000;

function elementsOf(forwarded: string): readonly string[] {
  if (forwarded.length > MAX_FORWARDED_LENGTH) return [];
  return (forwarded.match(ELEMENT) ?? []).map((element) => addressIn(FOR.exec(element)?.[1] ?? 'unknown'));
}

const V4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d*$/;
const IN_BRACKETS = /^\[([^\]]+)\](?::\d*)?$/;

/** The address in one value; the value itself if there is none. */
function addressIn(value: string): string {
  const text = value
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  const address = V4_WITH_PORT.exec(text)?.[1] ?? IN_BRACKETS.exec(text)?.[1] ?? text;
  return isIP(address) === 0 ? text : address;
}
