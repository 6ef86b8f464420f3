/** One HTTP exchange with an upstream: bounded in time and size, without redirects, and without secrets in errors. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { redactedPath } from '../../model/redacted-path.ts';
import { UpstreamError, type UpstreamProblem } from './errors.ts';

export interface ConnectionSettings {
  /** The certificates of the authorities that are trusted, in PEM; undefined: those of Node.js. */
  readonly ca?: string | undefined;
  /** The certificate of this program, in PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Variables such as HTTPS_PROXY and NO_PROXY. */
  readonly proxies: Readonly<Record<string, string | undefined>>;
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ExchangeCall {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string | undefined;
  /** Absent: only the limits of time end it. */
  readonly signal?: AbortSignal;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readable;
}

/** The time for the head of an answer. */
const HEAD_WITHIN_MS = 10_000;
const REST_WITHIN_MS = 5_000;

/** Keeps connections. */
export interface Exchange {
  /** Resolves with the head of the answer. Throws UpstreamError, or the reason of the signal of the call. */
  open(call: ExchangeCall): Promise<UpstreamAnswer>;
  close(): void;
}

export function createExchange({ ca, cert, key, proxies, headers }: ConnectionSettings): Exchange {
  // Each stream holds a connection, and there is one for each scope.
  const kept = { keepAlive: true, proxyEnv: proxies };
  const agents = { 'http:': new http.Agent(kept), 'https:': new https.Agent({ ...kept, ca, cert, key }) };
  return {
    async open(call) {
      const response = await send(call, { agents, headers });
      const { statusCode: status = 0 } = response;
      if (status === 200 || status === 202 || status === 304) {
        return { status, headers: response.headers, body: decoded(response) };
      }
      response.destroy();
      throw refusal(call, response);
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

interface ExchangeSender {
  readonly agents: { readonly 'http:': http.Agent; readonly 'https:': https.Agent };
  readonly headers: Readonly<Record<string, string>>;
}

function send(call: ExchangeCall, { agents, headers }: ExchangeSender): Promise<IncomingMessage> {
  const { method, url, body, signal } = call;
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request(url, {
      method,
      ...(signal && { signal }),
      agent: isSecure ? agents['https:'] : agents['http:'],
      headers: {
        Accept: '*/*',
        'Accept-Encoding': 'gzip',
        ...(body !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
        ...headers,
        ...call.headers,
      },
    });
    const late = setTimeout(
      () => request.destroy(new Error(`no answer within ${HEAD_WITHIN_MS / 1000} s`)),
      HEAD_WITHIN_MS,
    );
    request.once('response', (response) => {
      clearTimeout(late);
      resolve(response);
    });
    request.once('error', (error) => {
      clearTimeout(late);
      if (signal?.aborted) reject(signal.reason);
      else reject(new UpstreamError('away', `${shownUrl(url)} cannot be reached: ${error.message}`, { cause: error }));
    });
    request.end(body);
  });
}

/** An answer that ends early ends the decoded one with an error, too. */
function decoded(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  const text = createGunzip();
  response.on('error', (error) => text.destroy(error));
  text.once('close', () => response.destroy());
  return response.pipe(text);
}

const problems: Readonly<Record<number, UpstreamProblem>> = {
  401: 'refused',
  403: 'refused',
  404: 'absent',
  405: 'absent',
  406: 'absent',
  408: 'away',
  429: 'busy',
  501: 'absent',
};

function refusal({ method, url }: ExchangeCall, { statusCode = 0, headers }: IncomingMessage): UpstreamError {
  const problem = problems[statusCode] ?? (statusCode >= 500 ? 'away' : 'unusable');
  const isRedirect = statusCode >= 300 && statusCode < 400;
  const answered = isRedirect
    ? `a redirect (${statusCode}), which is not followed: set the final URL`
    : `${statusCode}`;
  const retryAfterMs = retryAfterIn(headers['retry-after']);
  return new UpstreamError(problem, `${method} ${shownUrl(url)} was answered with ${answered}`, { retryAfterMs });
}

/** The longest wait that an upstream can ask for. */
const MAX_RETRY_AFTER_MS = 600_000;

/** The header has seconds, or a date. */
function retryAfterIn(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** The URL without credentials and query. */
export function shownUrl({ origin, pathname }: URL): string {
  return `${origin}${redactedPath(pathname)}`;
}

/** The head of the answer has said everything. The rest is read for a while, so that the connection can be kept. */
export function discard({ body }: UpstreamAnswer): void {
  const late = setTimeout(() => body.destroy(), REST_WITHIN_MS);
  body.on('error', () => undefined).once('close', () => clearTimeout(late));
  body.resume();
}

/** The text of the body. Throws UpstreamError if it is longer than `limitBytes`, takes too long, or ends early. */
export async function readText({ body }: UpstreamAnswer, url: URL, limits: { limitBytes: number; withinMs: number }) {
  const { limitBytes, withinMs } = limits;
  const late = setTimeout(() => body.destroy(new Error(`it took longer than ${withinMs / 1000} s`)), withinMs);
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > limitBytes) throw new Error(`it has more than ${limitBytes} bytes`);
      pieces.push(piece);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UpstreamError('unusable', `the answer of ${shownUrl(url)} cannot be read: ${why}`, { cause: error });
  } finally {
    clearTimeout(late);
    body.destroy();
  }
  return Buffer.concat(pieces).toString();
}
