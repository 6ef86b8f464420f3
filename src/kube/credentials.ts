/** What proves to the API server who we are: headers, TLS material as agents that keep it. */
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { createSecureContext } from 'node:tls';
import type { KubeConfig } from '@kubernetes/client-node';
import { AppError } from '../errors.ts';

export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** For short calls: connections are kept. */
  readonly requests: http.Agent;
  /** For watches: each has a connection of its own, so they never wait for each other. */
  readonly streams: http.Agent;
}

export interface CredentialSource {
  get(): Promise<Credentials>;
  /** Forgets what was read, so that the next call reads rotated tokens again. */
  refresh(): void;
  close(): void;
}

const KEPT_FOR_MS = 5_000;
const MOST_CONNECTIONS = 64;
/** Shorter than the idle limits of API servers (90 s) or load balancers (60 s), so that we close first. */
const IDLE_MS = 30_000;

interface Agents {
  readonly material: readonly unknown[];
  readonly requests: http.Agent;
  readonly streams: http.Agent;
}

/** Reads the credentials of a kubeconfig when needed: files and exec plugins rotate, so nothing is kept for long. */
export function createCredentialSource(config: KubeConfig): CredentialSource {
  let current: { readonly reading: Promise<Credentials>; readonly readAtMs: number } | undefined;
  let agents: Agents | undefined;

  async function read(): Promise<Credentials> {
    const options: https.RequestOptions = {};
    let token: string | undefined;
    try {
      await config.applyToHTTPSOptions(options);
      token = await tokenInFile(config);
    } catch (cause) {
      throw new AppError('unavailable', 'The credentials for the API server cannot be read', { cause });
    }
    agents = agentsFor(options, config.getCurrentCluster(), agents);
    const headers = { ...headersOf(options), ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
    return { headers, requests: agents.requests, streams: agents.streams };
  }

  return {
    get() {
      const now = performance.now();
      if (current === undefined || now - current.readAtMs > KEPT_FOR_MS) {
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

/** The library would go on for a minute with the token that it has read, be it refused or not. */
async function tokenInFile(config: KubeConfig): Promise<string | undefined> {
  const file: unknown = config.getCurrentUser()?.authProvider?.config?.['tokenFile'];
  return typeof file === 'string' ? (await readFile(file, 'utf8')).trim() : undefined;
}

type Cluster = ReturnType<KubeConfig['getCurrentCluster']>;

/** Agents live until the TLS material changes; the secure context is made once, so no request hashes it again. */
function agentsFor(options: https.RequestOptions, cluster: Cluster, before: Agents | undefined): Agents {
  const { ca, cert, key, rejectUnauthorized, servername } = options;
  const material = [ca, cert, key, rejectUnauthorized, servername].map((part) => part?.toString());
  if (before?.material.every((part, index) => part === material[index])) return before;
  const pooled = { keepAlive: true, maxSockets: MOST_CONNECTIONS, timeout: IDLE_MS, scheduling: 'lifo' as const };
  const old = before?.requests;
  // Connections in use end by themselves; idle ones that carry the old certificate are not used again.
  for (const socket of Object.values(old?.freeSockets ?? {}).flat()) socket?.destroy();
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
