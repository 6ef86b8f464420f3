/** The operations port: probes and metrics. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';

export interface Health {
  readonly ok: boolean;
  /** The reason, as one sentence. */
  readonly detail: string;
}

export interface HealthServerParts {
  /** 0: any free port. */
  readonly port: number;
  /** Absent: all addresses. */
  readonly host?: string;
  /** Checks that must pass before the process gets traffic. They run on every request, so they must be quick. */
  readonly checks: Readonly<Record<string, () => Health>>;
  /**
   * Rejects a Host header with a DNS name: its owner could resolve it to this server and read answers in a browser (DNS
   * rebinding).
   */
  readonly addressesOnly?: boolean;
  /** The page `/metrics`. */
  readonly metrics: () => Promise<{ readonly type: string; readonly body: string }>;
}

export interface HealthServer {
  /** Resolves with the port once it listens. */
  start(): Promise<number>;
  /** Resolves once the port is free and no connection is open. */
  stop(): Promise<void>;
}

interface HealthAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const TEXT = 'text/plain; charset=utf-8';

/** A server for `/livez` (the process runs), `/readyz` (every check passes) and `/metrics`. */
export function createHealthServer({ port, host, checks, metrics, addressesOnly }: HealthServerParts): HealthServer {
  const pages: Readonly<Record<string, MakePage>> = {
    '/livez': () => ({ status: 200, type: TEXT, body: 'ok' }),
    '/readyz': () => readiness(checks),
    '/metrics': async () => ({ status: 200, ...(await metrics()) }),
  };
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const found = Object.hasOwn(pages, path) ? pages[path] : undefined;
    const page = addressesOnly && isDnsName(request.headers.host) ? refuseName : found;
    send(request, response, page).catch((error: Error) => response.destroy(error));
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

function refuseName(): HealthAnswer {
  return { status: 403, type: TEXT, body: 'the Host header must be an IP address or localhost' };
}

/** An absent Host means HTTP/1.0, which no browser uses. */
function isDnsName(host = 'localhost'): boolean {
  const name = host.replace(/:\d*$/, '');
  return name.toLowerCase() !== 'localhost' && isIP(name.replace(/^\[(.*)\]$/, '$1')) === 0;
}

type MakePage = () => HealthAnswer | Promise<HealthAnswer>;

async function send(request: IncomingMessage, response: ServerResponse, page: MakePage | undefined): Promise<void> {
  const { status, type, body } = await answerTo(request.method ?? '', page);
  if (status === 405) response.setHeader('Allow', 'GET, HEAD');
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  // Node leaves the body out when the method is HEAD.
  response.end(body);
}

async function answerTo(method: string, page: MakePage | undefined): Promise<HealthAnswer> {
  if (page === undefined) return { status: 404, type: TEXT, body: 'not found' };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: TEXT, body: 'method not allowed' };
  return page();
}

function readiness(checks: HealthServerParts['checks']): HealthAnswer {
  const results = Object.entries(checks).map(([name, check]) => [name, resultOf(check)] as const);
  const status = results.every(([, { ok }]) => ok) ? 200 : 503;
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(Object.fromEntries(results)) };
}

/** A check that throws counts as failed; it must not end the process. */
function resultOf(check: () => Health): Health {
  try {
    return check();
  } catch {
    return { ok: false, detail: 'the check itself failed' };
  }
}
