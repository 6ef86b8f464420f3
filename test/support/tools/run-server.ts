/** A server in a process of its own, on the loopback address. */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { basename } from 'node:path';
import { waitUntil } from '../control-plane/wait-until.ts';

interface ServerParts {
  readonly program: string;
  readonly args: readonly string[];
  /** By default, the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly isReady: () => Promise<boolean>;
}

export interface RunningServer {
  /** What it has written to its standard error so far. */
  readonly log: () => string;
  /** Kills it, and resolves when it has ended. */
  stop(): Promise<void>;
}

/** Resolves when the server is ready. Throws with its log if it ends before. */
export async function runServer({ program, args, env, isReady }: ServerParts): Promise<RunningServer> {
  const name = basename(program);
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...(env && { env }) });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  await waitUntil({ what: `${name} is ready` }, () => {
    if (child.exitCode !== null) throw new Error(`${name} has ended:\n${log}`);
    return isReady();
  });
  return {
    log: () => log,
    stop() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

export function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
