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

const PARAMETER = /[\s;]*([^\s=;"]+)\s*=\s*("(?:\\.|[^"\\])*"|[^;]*)\s*(?:;|$)/gy;

/** The address of each element; a proxy that hides it, or names two, has the address `unknown`. */
function elementsOf(forwarded: string): readonly string[] {
  if (forwarded === '') return [];
  // A list may have empty elements (RFC 9110 §5.6.1).
  const elements = splitFromRight(forwarded).filter((element) => element.trim() !== '');
  return elements.map((element) => {
    const parameters = [...element.matchAll(PARAMETER)];
    const [address, ...more] = parameters.flatMap(([, name, value]) =>
      name?.toLowerCase() === 'for' && value !== undefined ? [addressIn(unescaped(value))] : [],
    );
    return address === undefined || more.length > 0 || address.includes(',') ? 'unknown' : address;
  });
}

/**
 * Splits at commas outside quotes. The text of a client stands left of what proxies have added, so a quote without an
 * end, read from the left, would swallow the address that a proxy has written.
 */
function splitFromRight(text: string): readonly string[] {
  const parts: string[] = [];
  let end = text.length;
  let isQuoted = false;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === '"' && !(isQuoted && isEscaped(text, at))) isQuoted = !isQuoted;
    if (text[at] !== ',' || isQuoted) continue;
    parts.push(text.slice(at + 1, end));
    end = at;
  }
  return [...parts, text.slice(0, end)].reverse();
}

/** Whether an odd number of backslashes stands before the place. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

/** A quoted text may have a backslash before any of its characters. */
function unescaped(value: string): string {
  return value.startsWith('"') ? value.replace(/\\(.)/g, '$1') : value;
}

/** A proxy may hide the port behind a word that begins with `_`. */
const V4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):(?:\d*|_[\w.-]+)$/;
const IN_BRACKETS = /^\[([^\]]+)\](?::(?:\d*|_[\w.-]+))?$/;

/** The address in one value; the value itself if there is none. */
function addressIn(value: string): string {
  const text = value
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  const address = V4_WITH_PORT.exec(text)?.[1] ?? IN_BRACKETS.exec(text)?.[1] ?? text;
  return isIP(address) === 0 ? text : address;
}
