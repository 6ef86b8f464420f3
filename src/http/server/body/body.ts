/** Reads the body of a request as JSON, bounded in bytes and values. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { Refusal } from '../../../errors.ts';
import { quoteValue } from '../../../model/invalid-input.ts';
import { checked, unreadable } from '../../../wire/check-values.ts';
import { maxValuesFor, refuseManyInJson } from './count-values.ts';
import { BYTE_ORDER_MARK } from './decode-body.ts';

export const JSON_TYPES = ['application/json', 'application/*+json'];

export type ReadBody = (request: Request, response: Response, anyContentType: boolean) => Promise<unknown>;

/** `limitBytes` is the limit after decompression. */
export function bodyReader(limitBytes: number): ReadBody {
  const maxValues = maxValuesFor(limitBytes);
  const verify = (_request: IncomingMessage, _response: unknown, bytes: Buffer) => {
    refuseUnreadable(bytes);
    refuseManyInJson(bytes, maxValues);
  };
  const options = { limit: limitBytes, strict: false, verify };
  const readAny = express.json({ ...options, type: () => true });
  // `is` returns null without a body: there is no wrong type then, and the schema demands the body.
  return async (request, response, anyContentType) => {
    if (!anyContentType && request.is(JSON_TYPES) === false) throw wrongContentType(request, 'application/json');
    return checked(await readWith(request, response, { read: readAny, limitBytes }));
  };
}

interface BodyReader {
  readonly read: RequestHandler;
  readonly limitBytes: number;
}

/** The body as a parser of Express returns it. */
export async function readWith(request: Request, response: Response, { read, limitBytes }: BodyReader) {
  refuseOtherCharset(request);
  // Refuses before the parser reads the whole body.
  if (Number(request.headers['content-length']) > limitBytes) throw tooLarge(limitBytes);
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error ? reject(bodyError(error)) : resolve()));
  });
  return request.body;
}

/**
 * Waits for the end of a body that the endpoint ignores. The HTTP parser answers 400 itself if the body is malformed,
 * and nothing must have been written then. `limitBytes` limits the bytes as sent; undefined: limited only by time.
 */
export async function discardBody(request: Request, limitBytes: number | undefined): Promise<void> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && length === '0') return;
  const limit = limitBytes ?? Number.POSITIVE_INFINITY;
  if (Number(length) > limit || (await arrivingBytes(request, limit)) > limit) throw tooLarge(limitBytes);
}

/** The length of the body in bytes, counted until it exceeds `limit`. */
async function arrivingBytes(request: Request, limit: number): Promise<number> {
  let bytes = 0;
  try {
    // The connection must stay open for the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > limit) break;
    }
  } catch {
    throw unreadable('The body ended early.');
  }
  return bytes;
}

/** An empty body counts as missing. The parser would return `{}`, which has a meaning for PUT. */
function refuseUnreadable(bytes: Buffer): void {
  if (bytes.length === 0 || bytes.equals(BYTE_ORDER_MARK)) {
    throw unreadable('The body is required. It was not present on the data you sent.');
  }
  if (!isUtf8(bytes)) throw unreadable('The body is not valid UTF-8.');
}

function tooLarge(limitBytes: number | undefined): Refusal {
  return new Refusal('too-large', `The body is larger than the limit of ${limitBytes} bytes.`);
}

/** `taken` are the types that the endpoint takes, in words. */
export function wrongContentType({ headers }: Request, taken: string): Refusal {
  const sent = headers['content-type'];
  const described =
    sent === undefined ? 'sent no body with a content type' : `sent ${JSON.stringify(sent.slice(0, 100))}`;
  const message = `This endpoint takes a body of content type ${taken}. You ${described}.`;
  return new Refusal('unsupported-media-type', message);
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** JSON is UTF-8 (RFC 8259 §8.1); the parser would also accept UTF-16 and UTF-7. */
function refuseOtherCharset({ headers }: Request): void {
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  const message = `The body must be UTF-8. You sent the charset ${quoteValue(charset)}.`;
  throw new Refusal('unsupported-media-type', message);
}

/** Translates errors of the body parser. */
function bodyError(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { type, message, limit } = error as { type?: string; message?: string; limit?: number };
  switch (type) {
    case 'entity.too.large':
      return tooLarge(limit);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new Refusal('unsupported-media-type', `The body cannot be read: ${message}.`);
    case 'entity.parse.failed':
      return unreadable(`The body is not valid JSON: ${message?.slice(0, 200)}.`);
    default:
      return unreadable(`The body cannot be read: ${message?.slice(0, 200)}.`);
  }
}
