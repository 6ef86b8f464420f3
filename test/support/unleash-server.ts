/** A real Unleash, from its package, with a database of its own. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { prepareFolder } from '../../scripts/tools/prepared-folder.ts';
import { sayOnStderr } from '../../scripts/tools/progress.ts';
import { startPostgres } from './archive/postgres.ts';
import { freePorts } from './control-plane/ports.ts';
import { waitUntil } from './control-plane/wait-until.ts';

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, '../../.cache/unleash');
const PROGRAM = 'node_modules/unleash-server/dist/server.js';

/** The versions that are tried: the oldest one that an import reads, and the newest one of each later number. */
export const UNLEASH_VERSIONS = ['4.19.5', '5.12.8', '6.10.1', '7.6.5', '8.2.0'] as const;
export type UnleashVersion = (typeof UNLEASH_VERSIONS)[number];

export interface UnleashServer {
  readonly url: string;
  readonly version: UnleashVersion;
  /** A token of the admin API with all permissions. */
  readonly adminToken: string;
  /** Tokens of server-side SDKs for all projects, by environment. */
  readonly clientTokens: Readonly<Record<'development' | 'production', string>>;
  /** Tokens of browsers for all projects, by environment. */
  readonly frontendTokens: Readonly<Record<'development' | 'production', string>>;
  /** Resolves with the parsed body. Throws for statuses other than 2xx. */
  admin(method: string, path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** Installs the version on first use, which takes half a minute; a start takes about 20 s. */
export async function startUnleash(version: UnleashVersion): Promise<UnleashServer> {
  const folder = await prepareFolder({
    cache: CACHE,
    version,
    programs: [PROGRAM],
    fill: (into) => install(into, version),
    say: sayOnStderr,
  });
  const database = await startPostgres();
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const [adminToken, clientTokens, frontendTokens] = [`*:*.${secret('admin')}`, tokens('client'), tokens('frontend')];
  const child = spawn(process.execPath, [join(folder, PROGRAM)], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: await database.freshUrl(),
      DATABASE_SSL: 'false',
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: `${port}`,
      LOG_LEVEL: 'error',
      CHECK_VERSION: 'false',
      SEND_TELEMETRY: 'false',
      INIT_ADMIN_API_TOKENS: adminToken,
      INIT_CLIENT_API_TOKENS: Object.values(clientTokens).join(','),
      INIT_FRONTEND_API_TOKENS: Object.values(frontendTokens).join(','),
      EXPORT_IMPORT: 'true',
      UNLEASH_EXPERIMENTAL_ENABLE_LEGACY_VARIANTS: 'true',
    },
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    await database.stop();
  };
  try {
    await Promise.race([
      untilHealthy(url),
      ended.then(([code]) => Promise.reject(new Error(`Unleash ended: ${code}`))),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ url, version, adminToken, clientTokens, frontendTokens, stop },
    admin: (method, path, body) => call({ url: `${url}/api/admin${path}`, token: adminToken, method, body }),
  };
}

async function install(folder: string, version: string): Promise<void> {
  sayOnStderr(`installing unleash-server ${version}`);
  await writeFile(join(folder, 'package.json'), '{}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', `unleash-server@${version}`], {
    cwd: folder,
  });
  // A prepared folder has executable files.
  await chmod(join(folder, PROGRAM), 0o755);
}

function tokens(kind: string): UnleashServer['clientTokens'] {
  return {
    development: `*:development.${secret(`${kind}development`)}`,
    production: `*:production.${secret(`${kind}production`)}`,
  };
}

/** As long as those that Unleash makes. */
function secret(seed: string): string {
  return Buffer.from(seed).toString('hex').padEnd(56, '0').slice(0, 56);
}

function untilHealthy(url: string): Promise<unknown> {
  return waitUntil({ what: 'Unleash is ready', everyMs: 250 }, () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

interface Call {
  readonly url: string;
  readonly token: string;
  readonly method: string;
  readonly body: unknown;
}

async function call({ url, token, method, body }: Call): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { Authorization: token, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return text === '' ? undefined : JSON.parse(text);
}
