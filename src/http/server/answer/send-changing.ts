/** Sends an answer that changes: as it is, compressed, or 304. */

import type { HttpExchange } from '../request-context.ts';
import { type ChangingAnswer, type Encode, encodingFor } from './encodings.ts';
import { isFresh } from './representation.ts';
import { sendJson } from './send-json.ts';

export function isChangingAnswer(result: unknown): result is ChangingAnswer {
  return typeof result === 'object' && result !== null && 'current' in result;
}

/** A tag for compressed bytes is weak: it stands for the same content, in other bytes (RFC 9110 §8.8.1). */
export async function sendChanging(
  { request, response }: HttpExchange,
  answer: ChangingAnswer,
  encode: Encode,
): Promise<void> {
  const { headers } = request;
  const current = answer.current();
  const encoding = encodingFor(headers['accept-encoding']?.toString(), current);
  if (encoding === undefined) return sendJson(response, current, request);
  if (isFresh(headers['if-none-match'], current)) {
    response.setHeader('ETag', `W/${current.etag}`).status(304).end();
    return;
  }
  const { of, bytes } = await encode(answer, encoding);
  response.setHeader('ETag', `W/${of.etag}`).setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Type', of.type).setHeader('Content-Length', bytes.length);
  response.end(bytes);
}
