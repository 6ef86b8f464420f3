/** The socket side of the admin API: listening, limits on slow callers, an orderly end. */
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { AppError } from '../errors.ts';
import { presentError } from './errors.ts';

export interface Listener {
  /** Resolves with the port once it listens. */
  start(): Promise<number>;
  /** Takes no new connection; resolves when the requests under way are answered. */
  stop(): Promise<void>;
}

export interface ListenParts {
  /** undefined: all addresses. */
  readonly host: string | undefined;
  /** 0: any free port. */
  readonly port: number;
  readonly answer: RequestListener;
}

/** Longer than the idle limits of usual load balancers, so that they close first. */
const IDLE_MS = 75_000;
const WHOLE_REQUEST_MS = 30_000;

export function createListener({ host, port, answer }: ListenParts): Listener {
  const server = createServer({ keepAliveTimeout: IDLE_MS, requestTimeout: WHOLE_REQUEST_MS }, answer);
  server.on('clientError', refuseUnreadable);
  return {
    start: () => listen(server, host, port),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function listen(server: Server, host: string | undefined, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** What is no HTTP never reaches Express; it gets the same body as every other error. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const message = tooLarge ? 'The headers of the request are too large.' : 'The request is not valid HTTP.';
  const { status, body } = presentError(new AppError(tooLarge ? 'too-large' : 'invalid', message));
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`);
}
