/** The sockets of the admin API: listening, timeouts of slow clients, graceful shutdown. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Refusal, type RefusalCode } from '../../../errors.ts';
import { CACHE_CONTROL } from '../answer/caching.ts';
import { presentError } from '../answer/errors.ts';
import { requestIdOf } from '../request-context.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { type FollowedFiles, followFiles } from './tls.ts';

export interface Listener {
  /** Resolves with the port when the server listens. */
  start(): Promise<number>;
  /** Finishes the requests in progress, answers new ones with 503, then closes all connections. */
  stop(): Promise<void>;
}

export interface ListenParts {
  /** undefined: all addresses. */
  readonly host: string | undefined;
  /** The port; 0: any free port. */
  readonly port: number;
  readonly answer: RequestListener;
  /** undefined: http. */
  readonly tls?: Omit<FollowedFiles, 'take'> | undefined;
  readonly limits?: ArrivalLimits;
  readonly connections?: Pick<ConnectionLimit, 'count'>;
}

interface ArrivalLimits {
  /** The time for a request to arrive, body included. */
  readonly arriveWithinMs: number;
  /** The interval of the check for slow requests. */
  readonly checkEveryMs: number;
}

/** Longer than the idle timeouts of common load balancers, so that they close connections first. */
const IDLE_MS = 75_000;
const LIMITS: ArrivalLimits = { arriveWithinMs: 30_000, checkEveryMs: 5_000 };

/** The time for a TLS handshake. */
const HANDSHAKE_MS = 10_000;

/** Requests that take longer are aborted. It is longer than a write that the API server does not answer takes. */
const STOP_WITHIN_MS = 12_000;

export function createListener(parts: ListenParts): Listener {
  const { host, port, answer, tls, limits = LIMITS, connections } = parts;
  const underWay = countUnderWay();
  const arriving = new WeakMap<Socket, Arriving>();
  let stopping = false;
  const follow = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    arriving.set(socket, { request, response });
    // An idle connection must not keep the body of its last request in memory.
    response.once('close', () => {
      if (request.complete && arriving.get(socket)?.response === response) arriving.delete(socket);
    });
  };
  const receive: RequestListener = (request, response) => {
    underWay.enter(response);
    follow(request, response);
    if (stopping) refuseWhileStopping(request, response);
    else answer(request, response);
  };
  const { server, prepare } = socketOf(tls, {
    keepAliveTimeout: IDLE_MS,
    requestTimeout: limits.arriveWithinMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    // The application refuses a missing Host, with an error body.
    requireHostHeader: false,
  });
  // No limit, as the total length is bounded: a dropped header could be a second Host.
  server.maxHeadersCount = 0;
  connections?.count(server, tls ? 'secureConnection' : 'connection');
  server.on('request', receive);
  // An unknown `Expect` may be ignored (RFC 9110 §10.1.1); by default, Node answers 417 without a body.
  server.on('checkExpectation', receive);
  server.on('clientError', (error, socket: Socket) => refuseUnreadable(error, socket, arriving.get(socket)));
  let unfollowFiles = (): void => undefined;
  return {
    async start() {
      unfollowFiles = await prepare();
      return listen(server, host, port);
    },
    async stop() {
      stopping = true;
      unfollowFiles();
      await underWay.none(STOP_WITHIN_MS);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

interface PreparedSocket {
  readonly server: Server | SecureServer;
  /** Called before the server listens; the result undoes it. */
  readonly prepare: () => Promise<() => void>;
}

function socketOf(tls: ListenParts['tls'], options: ServerOptions): PreparedSocket {
  if (!tls) return { server: createServer(options), prepare: async () => () => undefined };
  // Who has no certificate may have a token: the application decides.
  const clients = { requestCert: tls.files.clientCaFile !== undefined, rejectUnauthorized: false };
  const server = createSecureServer({ ...options, ...clients, handshakeTimeout: HANDSHAKE_MS });
  const take: FollowedFiles['take'] = (credentials) => server.setSecureContext(credentials);
  return { server, prepare: () => followFiles({ ...tls, take }) };
}

/** Counts requests in progress. */
function countUnderWay() {
  let count = 0;
  let whenNone: (() => void) | undefined;
  return {
    enter(response: ServerResponse): void {
      count += 1;
      response.once('close', () => {
        count -= 1;
        if (count === 0) whenNone?.();
      });
    },
    /** Resolves when no request is left, or after this time at the latest. */
    none(withinMs: number): Promise<void> {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        whenNone = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}

/** Closes the connection, so that the client connects to another replica. */
function refuseWhileStopping(request: IncomingMessage, response: ServerResponse): void {
  const { status, body } = presentError(new Refusal('unavailable', 'This replica is stopping. Try again.'));
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': CACHE_CONTROL,
    'Retry-After': '1',
    'X-Request-Id': requestIdOf(request),
    Connection: 'close',
  });
  response.end(JSON.stringify(body));
}

/** Connections that wait to be accepted: a herd comes at once. The kernel bounds them too, with `somaxconn`. */
const MAX_WAITING = 4_096;

function listen(server: Server | SecureServer, host: string | undefined, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: MAX_WAITING }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** The last request of a connection, until it has arrived completely and its answer is sent. */
interface Arriving {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Refusals by the error code of the parser; with any other code, the request is invalid HTTP. */
const refusals: Readonly<Record<string, readonly [RefusalCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['too-large', 'The path and headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['too-large', 'The chunk extensions of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['timeout', 'The request took too long to arrive.'],
};

/** Requests that never reach Express, or never arrive completely, get the same error body as others. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket, last: Arriving | undefined): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // The request has its answer already: a second answer would count as the answer of the next request.
  if (last && !last.request.complete && last.response.headersSent) {
    socket.end();
    return;
  }
  const [code, message] = refusals[error.code ?? ''] ?? ['invalid', 'The request is not valid HTTP.'];
  const { status, body } = presentError(new Refusal(code, message));
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Cache-Control: ${CACHE_CONTROL}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
