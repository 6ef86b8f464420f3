/** Posts to the receiver of one sink, with the limits that a URL of a tenant needs. */
import { Agent, request } from 'undici';
import { type ConnectorParts, checkedConnector, RefusedAddress } from './checked-connector.ts';

export interface ReceiverParts extends ConnectorParts {
  readonly url: string;
  /** How many connections there may be. */
  readonly connections: number;
  /** Ms since 1970, for dates in answers. */
  readonly now: () => number;
}

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the receiver says; `failed`: try again; `refused`: it does not want this message. No text of the receiver. */
export type Answer =
  | { readonly type: 'taken' }
  | { readonly type: 'gone' }
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string; readonly retryAfterMs?: number };

export interface Receiver {
  post(message: Message, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/** Nothing in an answer counts but its status, so a longer one is cut off. */
const MAX_ANSWER_BYTES = 16 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_RETRY_AFTER_MS = 3_600_000;
const KEEP_ALIVE_MS = 10_000;
/** Statuses of 4xx that say nothing about the message. */
const TEMPORARY: readonly number[] = [408, 425, 429];

export function createReceiver(parts: ReceiverParts): Receiver {
  const { url, timeoutMs, connections } = parts;
  const agent = new Agent({
    connect: checkedConnector(parts),
    ...{ connections, pipelining: 1, maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS },
    ...{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
  });
  return {
    async post({ headers, body }, signal) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal: limited });
        await readToEnd(answer.body);
        return answerOf(answer.statusCode, retryAfterOf(answer.headers['retry-after'], parts.now()));
      } catch (error) {
        return { type: 'failed', message: connectionFailure(error, timeoutMs) };
      }
    },
    close: () => agent.destroy(),
  };
}

/** Rejects if the answer breaks off; one that is too long is cut. */
async function readToEnd(body: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
}

function answerOf(status: number, retryAfterMs: number | undefined): Answer {
  if (status >= 200 && status < 300) return { type: 'taken' };
  if (status === 410) return { type: 'gone' };
  const message =
    status >= 300 && status < 400 ? `answered ${status}: redirects are not followed` : `answered ${status}`;
  if (status >= 400 && status < 500 && !TEMPORARY.includes(status)) return { type: 'refused', message };
  return { type: 'failed', message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Seconds, or a date. */
function retryAfterOf(header: string | string[] | undefined, now: number): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? 1000 * Number(text) : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS) : undefined;
}

/** Messages of errors may name addresses and paths, so only their codes are reported. */
export function connectionFailure(error: unknown, timeoutMs: number): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof RefusedAddress) return cause.message;
  if (!(cause instanceof Error)) return 'the connection failed';
  if (cause.name === 'TimeoutError') return `no whole answer within ${timeoutMs / 1000} s`;
  const { code } = cause as NodeJS.ErrnoException;
  return `the connection failed (${typeof code === 'string' ? code : cause.name})`;
}
