/** Credentials for the API server: headers, and HTTP agents that hold the TLS material. */
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { createSecureContext } from 'node:tls';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { ClusterError } from '../../errors.ts';

export interface ClusterCredentials {
  readonly headers: Readonly<Record<string, string>>;
  /** For short calls: connections are kept alive. */
  readonly requests: http.Agent;
  /** For watches: each watch has its own connection, so that watches never wait for each other. */
  readonly streams: http.Agent;
}

export interface CredentialSource {
  get(): Promise<ClusterCredentials>;
  /** Drops the cached credentials, so that the next call reads rotated tokens. */
  refresh(): void;
  close(): void;
}

const CACHE_TTL_MS = 5_000;
const MAX_CONNECTIONS = 64;
/** Shorter than the idle limits of API servers (90 s) and load balancers (60 s), so that the client closes first. */
const IDLE_MS = 30_000;

interface Agents {
  readonly material: readonly unknown[];
  readonly requests: http.Agent;
  readonly streams: http.Agent;
}

/**
 * Reads the credentials of a kubeconfig on demand. Token files and exec plugins rotate, so the cache lives for seconds.
 */
export function createCredentialSource(config: KubeConfig): CredentialSource {
  let current: { readonly reading: Promise<ClusterCredentials>; readonly readAtMs: number } | undefined;
  let agents: Agents | undefined;

  async function read(): Promise<ClusterCredentials> {
    const options: https.RequestOptions = {};
    let token: string | undefined;
    try {
      await config.applyToHTTPSOptions(options);
      token = await tokenInFile(config);
    } catch (cause) {
      throw new ClusterError('unavailable', 'The credentials for the API server cannot be read', { cause });
    }
    agents = agentsFor(options, config.getCurrentCluster(), agents);
    const headers = { ...headersOf(options), ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
    return { headers, requests: agents.requests, streams: agents.streams };
  }

  return {
    get() {
      const now = performance.now();
      if (current === undefined || now - current.readAtMs > CACHE_TTL_MS) {
        const reading = read();
        current = { reading, readAtMs: now };
        reading.catch(() => {
          if (current?.reading === reading) current = undefined;
        });
      }
      return current.reading;
    },
    refresh() {
      current = undefined;
    },
    close() {
      agents?.requests.destroy();
      agents?.streams.destroy();
    },
  };
}

/** Bypasses the library's cache, which keeps a token for a minute even after the API server rejects it. */
async function tokenInFile(config: KubeConfig): Promise<string | undefined> {
  const file: unknown = config.getCurrentUser()?.authProvider?.config?.['tokenFile'];
  return typeof file === 'string' ? (await readFile(file, 'utf8')).trim() : undefined;
}

type KubeConfigCluster = ReturnType<KubeConfig['getCurrentCluster']>;

/**
 * Agents live until the TLS material changes. The secure context is created once, so that requests do not hash it
 * again.
 */
function agentsFor(options: https.RequestOptions, cluster: KubeConfigCluster, previous: Agents | undefined): Agents {
  const { ca, cert, key, rejectUnauthorized, servername } = options;
  const material = [ca, cert, key, rejectUnauthorized, servername].map((part) => part?.toString());
  if (previous?.material.every((part, index) => part === material[index])) return previous;
  const pooled = { keepAlive: true, maxSockets: MAX_CONNECTIONS, timeout: IDLE_MS, scheduling: 'lifo' as const };
  // Connections in use end by themselves. Idle ones still use the old certificate and are closed.
  for (const socket of Object.values(previous?.requests.freeSockets ?? {}).flat()) socket?.destroy();
  if (cluster?.proxyUrl && options.agent instanceof http.Agent) {
    return { material, requests: options.agent, streams: options.agent };
  }
  if (cluster?.server.startsWith('http:')) {
    return { material, requests: new http.Agent(pooled), streams: new http.Agent() };
  }
  const secure = secureOptions(options);
  return { material, requests: new https.Agent({ ...pooled, ...secure }), streams: new https.Agent(secure) };
}

function secureOptions({ ca, cert, key, rejectUnauthorized, servername }: https.RequestOptions): https.AgentOptions {
  const context = createSecureContext(defined({ ca, cert, key }));
  return { secureContext: context, ...defined({ rejectUnauthorized, servername }) };
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function defined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}

function headersOf(options: https.RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = String(value).trim();
  if (options.auth) headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}
