/** A server of the Prometheus project, with a configuration file and a folder of its own. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePorts } from '../control-plane/ports.ts';
import { waitUntil } from '../control-plane/wait-until.ts';

export interface MonitoringServerParts {
  readonly program: string;
  /** The text of its configuration file. */
  readonly config: string;
  /** Arguments in addition to the configuration and the address. The parameter is the folder for stored data. */
  readonly args: (folder: string) => readonly string[];
}

export interface MonitoringServer {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /** The log of the server so far. */
  readonly log: () => string;
  /** Ends the server, and removes its data. */
  stop(): Promise<void>;
}

/** Resolves when the server is ready. It listens on the loopback address. */
export async function startMonitoringServer(parts: MonitoringServerParts): Promise<MonitoringServer> {
  const name = basename(parts.program);
  const folder = await mkdtemp(join(tmpdir(), `vexil-${name}-`));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'config.yaml');
  await writeFile(config, parts.config);
  const args = [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`, ...parts.args(folder)];
  const child = spawn(parts.program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  await waitUntil({ what: `${name} is ready` }, async () => {
    if (child.exitCode !== null) throw new Error(`${name} has ended:\n${log}`);
    const response = await fetch(`${url}/-/ready`).catch(() => undefined);
    return response?.ok;
  });
  return {
    url,
    log: () => log,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
