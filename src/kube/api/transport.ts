/** HTTP client of the API server. */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { ClusterError, Refusal } from '../../errors.ts';
import { readJson } from '../../model/json.ts';
import type { EndedCall } from '../../telemetry/tracing.ts';
import { createCredentialSource } from './credentials.ts';
import { type Deadline, deadline } from './deadline.ts';
import { refusedCall } from './errors.ts';
import { readFrames } from './frames.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface BeforeSend {
  /** Awaited once the connection is established, immediately before the request is sent. A throw cancels the call. */
  (): Promise<void>;
  /** The limit of the whole exchange, if it is less than that of other calls. */
  readonly timeoutMs?: number;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Default: `application/json`. */
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The limit of the whole exchange, if it is less than that of other calls. */
  readonly timeoutMs?: number;
  readonly beforeSend?: BeforeSend | undefined;
}

/** Ends a write with the term of the leader, after which nothing is sent. */
export interface WriteFence {
  readonly signal: AbortSignal;
  readonly beforeSend: BeforeSend;
}

export interface StreamCall {
  readonly path: string;
  readonly query?: Query;
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  /** Returns the parsed response. Throws ClusterErrors, or the reason of `signal` if that ended the call. */
  request(call: Call): Promise<unknown>;
  /** Opens a stream of JSON frames; its iteration throws like `request`. */
  stream(call: StreamCall): Promise<AsyncIterable<unknown>>;
  /** Closes the kept connections. */
  close(): void;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** For calls that a request of a caller waits for: each of its writes takes at most as long. */
export const AWAITED_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
const MAX_REFUSAL_BYTES = 1024 * 1024;
/** The characters of a longer refusal that are read. */
const MAX_BEGINNING = 8192;
/** Half of the longest string V8 can hold; a page of 500 objects is far below. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Reads one object. */
export function readCall(path: string, signal: AbortSignal | undefined): Call {
  return { method: 'GET', path, signal, timeoutMs: AWAITED_TIMEOUT_MS };
}

interface ConnectOptions {
  /** Receives each exchange; `status` 0 is a failure below HTTP. */
  readonly observe?: (call: EndedCall) => void;
  /** The timeout of calls that set none. */
  readonly timeoutMs?: number;
}

/** Creates the client for the current context of a kubeconfig. */
export function connect(config: KubeConfig, options: ConnectOptions = {}): Transport {
  const { observe, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Refusal('invalid', 'The kubeconfig has no current cluster');
  const credentials = createCredentialSource(config);

  async function open(call: Call, until: Deadline, pool: 'requests' | 'streams'): Promise<http.IncomingMessage> {
    const startedAt = performance.now();
    let status = 0;
    try {
      const { headers, ...agents } = await credentials.get();
      until.throwIfOver();
      const answer = await send({ url: urlOf(server ?? '', call), call, headers, agent: agents[pool] }, until);
      status = answer.statusCode ?? 0;
      if (status === 401) credentials.refresh();
      if (status < 200 || status > 299) throw await refusal(call, answer);
      return answer;
    } finally {
      observe?.({
        method: call.method,
        resource: resourceOf(call.path),
        status,
        durationMs: performance.now() - startedAt,
      });
    }
  }

  return {
    async request(call) {
      const limitMs = Math.min(timeoutMs, call.timeoutMs ?? timeoutMs, call.beforeSend?.timeoutMs ?? timeoutMs);
      const until = deadline(actionOf(call), { ...call, timeoutMs: limitMs });
      try {
        const answer = await open(call, until, 'requests');
        return parseAnswer(await readAll(answer));
      } catch (error) {
        throw until.explain(error);
      } finally {
        until.release();
      }
    },
    async stream(call) {
      const get: Call = { ...call, method: 'GET' };
      const until = deadline(actionOf(get), { ...call, timeoutMs });
      try {
        const answer = await open(get, until, 'streams');
        until.open();
        return streamOf(answer, until);
      } catch (error) {
        until.release();
        throw until.explain(error);
      }
    },
    close: credentials.close,
  };
}

async function* streamOf(answer: http.IncomingMessage, until: Deadline): AsyncGenerator<unknown> {
  try {
    yield* readFrames(answer);
  } catch (error) {
    throw until.explain(error);
  } finally {
    until.release();
    answer.destroy();
  }
}

interface Sending {
  readonly url: URL;
  readonly call: Call;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: http.Agent;
}

/** Repeats a GET once if its connection is reset: the server may have closed an idle connection. */
async function send(sending: Sending, until: Deadline): Promise<http.IncomingMessage> {
  try {
    return await sendOnce(sending, until);
  } catch (error) {
    const reset = error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
    if (sending.call.method !== 'GET' || !reset) throw error;
    until.throwIfOver();
    return sendOnce(sending, until);
  }
}

function sendOnce({ url, call, headers, agent }: Sending, until: Deadline): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
    const request = (url.protocol === 'http:' ? http : https).request(url, {
      method: call.method,
      agent,
      headers: {
        Accept: call.accept ?? 'application/json',
        'User-Agent': 'vexil',
        ...(body && { 'Content-Type': call.contentType ?? 'application/json', 'Content-Length': body.length }),
        ...headers,
      },
    });
    request.on('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
    request.on('error', reject);
    request.once('response', (answer) => {
      // An error before iteration starts must not become an uncaught exception; iteration throws it again.
      answer.on('error', () => undefined);
      until.guard(answer);
      resolve(answer);
    });
    until.guard(request);
    const { beforeSend } = call;
    if (beforeSend === undefined) request.end(body);
    else request.once('socket', (socket) => sendOver(socket, { request, body, beforeSend }));
  });
}

interface GuardedSending {
  readonly request: http.ClientRequest;
  readonly body: Buffer | undefined;
  readonly beforeSend: BeforeSend;
}

/** Calls `beforeSend` last: a request may wait for a free connection or a new one before. */
function sendOver(socket: Socket, { request, body, beforeSend }: GuardedSending): void {
  const go = () => {
    beforeSend().then(
      () => request.end(body),
      (error: Error) => request.destroy(error),
    );
  };
  if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', go);
  else go();
}

async function refusal(call: Call, answer: http.IncomingMessage): Promise<ClusterError> {
  const text = Buffer.concat(await chunksOf(answer, MAX_REFUSAL_BYTES)).toString('utf8');
  const retryAfter = answer.headers['retry-after'];
  return refusedCall({
    action: actionOf(call),
    status: answer.statusCode ?? 0,
    body: readJson(text) ?? beginningOf(text),
    retryAfter,
  });
}

/** A refusal may quote the whole object: then its beginning says why. */
function beginningOf(text: string): unknown {
  const [, quoted] = /"message":"((?:[^"\\]|\\.)*)/.exec(text.slice(0, MAX_BEGINNING)) ?? [];
  return quoted === undefined ? undefined : { message: readJson(`"${quoted}"`) };
}

/** Ends above the limit. */
async function chunksOf(answer: http.IncomingMessage, maxBytes: number): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return chunks;
}

async function readAll(answer: http.IncomingMessage): Promise<Buffer> {
  const chunks = await chunksOf(answer, MAX_ANSWER_BYTES);
  if (chunks.reduce((bytes, { length }) => bytes + length, 0) <= MAX_ANSWER_BYTES) return Buffer.concat(chunks);
  throw new ClusterError('too-large', `The API server's answer is longer than ${MAX_ANSWER_BYTES} bytes`);
}

function parseAnswer(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new ClusterError('unavailable', 'The API server sent an answer that is not JSON', { cause });
  }
}

function urlOf(server: string, call: Call): URL {
  const url = new URL(server.replace(/\/+$/, '') + call.path);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

function actionOf(call: Call): string {
  return `${call.method} ${call.path}`;
}

/**
 * `/apis/GROUP/VERSION/namespaces/NS/RESOURCE/NAME/SUBRESOURCE`, or `/api/VERSION/…`, reduced to resource and
 * subresource.
 */
function resourceOf(path: string): string {
  const below = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
  const [resource = '', , subresource] = below[0] === 'namespaces' ? below.slice(2) : below;
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
