/** Sends an answer compressed, if the caller accepts it, or 304. */
import { memo } from '../../../model/memo.ts';
import type { HttpExchange } from '../request-context.ts';
import { varyBy } from './caching.ts';
import { type ChangingAnswer, type Encode, encodingFor } from './encodings.ts';
import { codedTag, isFresh, type Representation } from './representation.ts';
import { sendJson } from './send-json.ts';
import { unreadAnswers } from './unread-answers.ts';

/** An answer that never changes: the next version is another object. */
const unchanging = memo((answer: Representation, _: undefined): ChangingAnswer => ({ current: () => answer }));

/** Sends an answer that is sent many times. The tag of compressed bytes is strong, so that If-Match can name it. */
export function sendShared(exchange: HttpExchange, answer: Representation, encode: Encode): Promise<void> {
  varyBy(exchange.response, 'Accept-Encoding');
  return sendEncoded(exchange, { answer: unchanging(answer, undefined), encode, tagOf: codedTag });
}

/** A tag for compressed bytes is weak: it stands for the same content, in other bytes (RFC 9110 §8.8.1). */
export function sendChanging(exchange: HttpExchange, answer: ChangingAnswer, encode: Encode): Promise<void> {
  return sendEncoded(exchange, { answer, encode, tagOf: ({ etag }) => `W/${etag}` });
}

export function isChangingAnswer(result: unknown): result is ChangingAnswer {
  return typeof result === 'object' && result !== null && 'current' in result;
}

interface EncodedAnswer {
  readonly answer: ChangingAnswer;
  readonly encode: Encode;
  readonly tagOf: typeof codedTag;
}

async function sendEncoded(
  { request, response }: HttpExchange,
  { answer, encode, tagOf }: EncodedAnswer,
): Promise<void> {
  const { headers } = request;
  const current = answer.current();
  const encoding = encodingFor(headers['accept-encoding']?.toString(), current);
  if (encoding === undefined) return sendJson(response, current, request);
  if (isFresh(headers['if-none-match'], current)) {
    response.setHeader('ETag', tagOf(current, encoding)).status(304).end();
    return;
  }
  const { of, bytes } = await encode(answer, encoding);
  response.setHeader('ETag', tagOf(of, encoding)).setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Type', of.type);
  unreadAnswers.end(response, bytes);
}
