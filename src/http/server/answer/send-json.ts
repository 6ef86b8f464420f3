/** Sends the bytes of an answer, or 304. */
import type { Request, Response } from 'express';
import { isFresh, JsonText, type Representation } from './representation.ts';
import { unreadAnswers } from './unread-answers.ts';

/** `conditional` is the request with If-None-Match; undefined: not conditional. */
export function sendJson(
  response: Response,
  answer: Representation | JsonText,
  conditional: Request | undefined,
): void {
  if (conditional) response.setHeader('ETag', answer.etag);
  if (conditional && isFresh(conditional.headers['if-none-match'], answer)) {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', answer.type);
  endWith(response, answer instanceof JsonText ? answer.latin1 : answer.bytes);
}

/**
 * Node.js sends a text together with the head, but a buffer apart from it. Copying more bytes takes longer than that
 * saves.
 */
const MAX_AS_TEXT = 16 * 1024;

function endWith(response: Response, content: Buffer | string): void {
  if (content.length > MAX_AS_TEXT) unreadAnswers.end(response, content);
  // Each byte becomes a character of Latin-1, and is sent as the same byte.
  else response.setHeader('Content-Length', content.length).end(content.toString('latin1'), 'latin1');
}
