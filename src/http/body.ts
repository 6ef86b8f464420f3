/** Reads the body of a request as JSON, bounded in every way. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../errors.ts';
import { checked, unreadable } from './check-values.ts';
import { mostValues, refuseManyInJson } from './count-values.ts';
import { shown } from './validation.ts';

export const JSON_TYPES = ['application/json', 'application/*+json'];

export type ReadBody = (request: Request, response: Response, anyContentType: boolean) => Promise<unknown>;

/** `limitBytes` counts what is left after decompression. */
export function bodyReader(limitBytes: number): ReadBody {
  const most = mostValues(limitBytes);
  const verify = (_request: IncomingMessage, _response: unknown, bytes: Buffer) => {
    refuseUnreadable(bytes);
    refuseManyInJson(bytes, most);
  };
  const options = { limit: limitBytes, strict: false, verify };
  const readAny = express.json({ ...options, type: () => true });
  // Without any body there is no type to be wrong: `is` answers null then, and the schema asks for the body.
  return async (request, response, anyContentType) => {
    if (!anyContentType && request.is(JSON_TYPES) === false) throw wrongType(request);
    return checked(await readWith(request, response, { read: readAny, limitBytes }));
  };
}

interface Reading {
  readonly read: RequestHandler;
  readonly limitBytes: number;
}

/** What a parser of Express makes of the body. */
export async function readWith(request: Request, response: Response, { read, limitBytes }: Reading) {
  refuseOtherCharset(request);
  // The parser would first read all of it, to no end.
  if (Number(request.headers['content-length']) > limitBytes) throw tooLarge(limitBytes);
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error ? reject(bodyError(error)) : resolve()));
  });
  return request.body;
}

/**
 * Waits for a body that nobody needs. The parser of HTTP may find it broken after the endpoint has begun, and answers 400
 * itself: then nothing must have been written. `limitBytes` counts what is sent; undefined: as much as arrives in time.
 */
export async function discardBody(request: Request, limitBytes: number | undefined): Promise<void> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && length === '0') return;
  const limit = limitBytes ?? Number.POSITIVE_INFINITY;
  if (Number(length) > limit || (await arrivingBytes(request, limit)) > limit) throw tooLarge(limitBytes);
}

/** How many bytes the body has, counted to its end or until there are more than `limit`. */
async function arrivingBytes(request: Request, limit: number): Promise<number> {
  let bytes = 0;
  try {
    // The connection is still needed for the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > limit) break;
    }
  } catch {
    throw unreadable('The body broke off.');
  }
  return bytes;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** An empty body is a missing one: the parser would take it for `{}`, which to a PUT means something. */
function refuseUnreadable(bytes: Buffer): void {
  if (bytes.length === 0 || bytes.equals(BYTE_ORDER_MARK)) {
    throw unreadable('The body is required. It was not present on the data you sent.');
  }
  if (!isUtf8(bytes)) throw unreadable('The body is not valid UTF-8.');
}

function tooLarge(limitBytes: number | undefined): AppError {
  return new AppError('too-large', `The body is larger than the ${limitBytes} bytes that are allowed.`);
}

function wrongType(request: Request): AppError {
  const sent = request.headers['content-type'];
  const what = sent === undefined ? 'sent no body with a content type' : `sent ${JSON.stringify(sent.slice(0, 100))}`;
  return new AppError(
    'unsupported-media-type',
    `This endpoint takes a body of content type application/json. You ${what}.`,
  );
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** JSON is UTF-8 (RFC 8259 §8.1); the parser would take UTF-16 and UTF-7 as well. */
function refuseOtherCharset({ headers }: Request): void {
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  const message = `The body must be UTF-8. You sent the charset ${shown(charset)}.`;
  throw new AppError('unsupported-media-type', message);
}

/** What the body parser says, in our words. */
function bodyError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { type, message, limit } = error as { type?: string; message?: string; limit?: number };
  switch (type) {
    case 'entity.too.large':
      return tooLarge(limit);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new AppError('unsupported-media-type', `The body cannot be read: ${message}.`);
    case 'entity.parse.failed':
      return unreadable(`The body is not valid JSON: ${message?.slice(0, 200)}.`);
    default:
      return unreadable(`The body cannot be read: ${message?.slice(0, 200)}.`);
  }
}
