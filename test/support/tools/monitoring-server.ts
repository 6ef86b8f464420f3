/** A server of the Prometheus project, with a configuration file and a folder of its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePorts } from '../control-plane/ports.ts';
import { type RunningServer, runServer } from './run-server.ts';

export interface MonitoringServerParts {
  readonly program: string;
  /** The text of its configuration file. */
  readonly config: string;
  /** Arguments in addition to the configuration and the address. The parameter is the folder for stored data. */
  readonly args: (folder: string) => readonly string[];
}

export interface MonitoringServer extends RunningServer {
  /** `http://127.0.0.1:…` */
  readonly url: string;
}

/** Resolves when the server is ready. It listens on the loopback address. */
export async function startMonitoringServer(parts: MonitoringServerParts): Promise<MonitoringServer> {
  const folder = await mkdtemp(join(tmpdir(), `vexil-${basename(parts.program)}-`));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'config.yaml');
  await writeFile(config, parts.config);
  const args = [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`, ...parts.args(folder)];
  const server = await runServer({
    program: parts.program,
    args,
    isReady: async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok ?? false,
  });
  return {
    url,
    log: server.log,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
