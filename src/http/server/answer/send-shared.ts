/** Sends an answer that is sent many times: compressed if the caller accepts it, or 304. */

import { memo } from '../../../catalog/memo.ts';
import type { HttpExchange } from '../request-context.ts';
import { varyBy } from './caching.ts';
import { type ChangingAnswer, type Encode, encodingFor } from './encodings.ts';
import { codedTag, isFresh, type Representation } from './representation.ts';
import { sendJson } from './send-json.ts';

/** The answer never changes: the next version is another object. */
const unchanging = memo((answer: Representation, _: undefined): ChangingAnswer => ({ current: () => answer }));

/** The tag of compressed bytes is strong, so that If-Match can name it. */
export async function sendShared(
  { request, response }: HttpExchange,
  answer: Representation,
  encode: Encode,
): Promise<void> {
  const { headers } = request;
  varyBy(response, 'Accept-Encoding');
  const coding = encodingFor(headers['accept-encoding']?.toString(), answer);
  if (coding === undefined) return sendJson(response, answer, request);
  response.setHeader('ETag', codedTag(answer, coding));
  if (isFresh(headers['if-none-match'], answer)) {
    response.status(304).end();
    return;
  }
  const { bytes } = await encode(unchanging(answer, undefined), coding);
  response.setHeader('Content-Encoding', coding).setHeader('Content-Type', answer.type);
  response.setHeader('Content-Length', bytes.length).end(bytes);
}
