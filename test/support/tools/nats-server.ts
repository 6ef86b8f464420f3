/** A real NATS server with JetStream, built from its pinned module. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../control-plane/ports.ts';
import { modulePrograms } from './module-programs.ts';
import { isListening, type RunningServer, runServer } from './run-server.ts';

const MODULE = 'github.com/nats-io/nats-server/v2';

export interface NatsServer {
  /** `nats://127.0.0.1:…` */
  readonly url: string;
  /** Ends the program and keeps its streams. */
  halt(): Promise<void>;
  /** Starts it again, at the same address. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** Resolves when the server listens on the loopback address. `config`: more lines of its file of configuration. */
export async function startNatsServer(config = ''): Promise<NatsServer> {
  const programs = await modulePrograms({
    module: MODULE,
    packages: { 'nats-server': MODULE },
    folder: 'nats-server',
    programs: ['nats-server'],
    instead: 'leave out the tests with a real NATS server',
  });
  const folder = await mkdtemp(join(tmpdir(), 'vexil-nats-'));
  const [port = 0] = await freePorts(1);
  const file = join(folder, 'nats.conf');
  const store = join(folder, 'streams');
  await writeFile(file, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${store}" }\n${config}\n`);
  let server: RunningServer;

  async function resume(): Promise<void> {
    server = await runServer({
      program: join(programs, 'nats-server'),
      args: ['--config', file],
      isReady: () => isListening(port),
    });
  }

  await resume();
  return {
    url: `nats://127.0.0.1:${port}`,
    halt: () => server.stop(),
    resume,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
