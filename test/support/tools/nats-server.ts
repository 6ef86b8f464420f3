/** A real NATS server with JetStream, built from its pinned module. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../control-plane/ports.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { modulePrograms } from './module-programs.ts';

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
  let end = async (): Promise<void> => undefined;

  async function resume(): Promise<void> {
    const child = spawn(join(programs, 'nats-server'), ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk;
    });
    end = () => {
      child.kill('SIGKILL');
      return ended;
    };
    await waitUntil({ what: 'nats-server listens' }, async () => {
      if (child.exitCode !== null) throw new Error(`nats-server has ended:\n${log}`);
      return isListening(port);
    });
  }

  await resume();
  return {
    url: `nats://127.0.0.1:${port}`,
    halt: () => end(),
    resume,
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
