/** Sends the bytes of an answer, or 304. */
import type { Request, Response } from 'express';
import { isFresh, type Representation } from './representation.ts';

/** `conditional` is the request with If-None-Match; undefined: not conditional. */
export function sendJson(response: Response, answer: Representation, conditional: Request | undefined): void {
  if (conditional) response.setHeader('ETag', answer.etag);
  if (conditional && isFresh(conditional.headers['if-none-match'], answer)) {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', answer.type);
  response.setHeader('Content-Length', answer.bytes.length);
  response.end(answer.bytes);
}
