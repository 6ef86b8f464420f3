/** A real registry of images on this machine, with a user and a password. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { releaseProgram } from '../../../scripts/tools/release-programs.ts';
import { freePorts } from '../control-plane/ports.ts';
import { waitUntil } from '../control-plane/wait-until.ts';

export interface Registry {
  /** Host and port. */
  readonly host: string;
  readonly user: string;
  readonly password: string;
  /** Asks the registry with the credentials. */
  get(path: string): Promise<Response>;
  stop(): Promise<void>;
}

const USER = 'publisher';
const PASSWORD = 'open-sesame';
/** The password as bcrypt. */
const HASH = '$2b$05$abcdefghijklmnopqrstuutXu9KzOt.1yBoZUeFWoT/914/JfszCO';

export async function startRegistry(): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-registry-'));
  const program = await releaseProgram('registry');
  const [port = 0] = await freePorts(1);
  await writeFile(join(folder, 'users'), `${USER}:${HASH}\n`);
  const config = {
    version: 0.1,
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: `127.0.0.1:${port}` },
    auth: { htpasswd: { realm: 'test', path: join(folder, 'users') } },
  };
  await writeFile(join(folder, 'config.yaml'), stringify(config));
  const child = spawn(program, ['serve', join(folder, 'config.yaml')], { stdio: 'ignore' });
  const host = `localhost:${port}`;
  const authorization = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
  const get: Registry['get'] = (path) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
  await waitUntil({ what: 'the registry answers' }, async () => {
    if (child.exitCode !== null) throw new Error(`the registry ended with ${child.exitCode}`);
    return (await get('/v2/').catch(() => undefined))?.status === 200;
  });
  return {
    host,
    user: USER,
    password: PASSWORD,
    get,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
