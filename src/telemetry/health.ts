/** The operations port, where a cluster asks how the process feels. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Health {
  readonly ok: boolean;
  /** One sentence for whoever asks why. */
  readonly detail: string;
}

export interface HealthServerParts {
  /** 0: any free port. */
  readonly port: number;
  /** Absent: all addresses. */
  readonly host?: string;
  /** What must be well before the process should get traffic. Asked on every call, so they must be quick. */
  readonly checks: Readonly<Record<string, () => Health>>;
}

export interface HealthServer {
  /** Resolves with the port once it listens. */
  start(): Promise<number>;
  /** Resolves once the port is free and no connection is open. */
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: 'text/plain' | 'application/json';
  readonly body: string;
}

/** A server for `/livez` (the process runs) and `/readyz` (every check is well). */
export function createHealthServer({ port, host, checks }: HealthServerParts): HealthServer {
  const pages: Readonly<Record<string, () => Answer>> = {
    '/livez': () => ({ status: 200, type: 'text/plain', body: 'ok' }),
    '/readyz': () => readiness(checks),
  };
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    send(request, response, page);
  });

  return {
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host }, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(request: IncomingMessage, response: ServerResponse, page: (() => Answer) | undefined): void {
  const { status, type, body } = answerTo(request.method ?? '', page);
  if (status === 405) response.setHeader('Allow', 'GET, HEAD');
  response.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  // Node leaves the body out when the method is HEAD.
  response.end(body);
}

function answerTo(method: string, page: (() => Answer) | undefined): Answer {
  if (page === undefined) return { status: 404, type: 'text/plain', body: 'not found' };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: 'text/plain', body: 'method not allowed' };
  return page();
}

function readiness(checks: HealthServerParts['checks']): Answer {
  const results = Object.entries(checks).map(([name, check]) => [name, resultOf(check)] as const);
  const status = results.every(([, { ok }]) => ok) ? 200 : 503;
  return { status, type: 'application/json', body: JSON.stringify(Object.fromEntries(results)) };
}

/** A check that throws must not end the process, and is no good sign. */
function resultOf(check: () => Health): Health {
  try {
    return check();
  } catch {
    return { ok: false, detail: 'the check itself failed' };
  }
}
