/** The operator as a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Say } from '../support/control-plane/progress.ts';
import { toldOf } from './log-line.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const END_WITH_DEMO = new URL('end-with-demo.ts', import.meta.url).href;

const SHOWN_LINES = 15;
/** After this an operator that was asked to end is killed. */
const GRACE_MS = 10_000;

export interface RunningOperator {
  /** The path of the file with everything that it writes. */
  readonly log: string;
  /** Rejects with its last log lines when it ends without having been asked to. */
  readonly failure: Promise<never>;
  stop(): Promise<void>;
}

export interface LaunchParts {
  readonly environment: NodeJS.ProcessEnv;
  readonly log: string;
  /** Gets its warnings with its errors. */
  readonly say: Say;
}

/** Starts it; whether it is ready is another question. */
export function launchOperator({ environment, log, say }: LaunchParts): RunningOperator {
  const child = fork(MAIN, {
    // Its own process group: Ctrl-C in a terminal reaches only us, and we stop it in order.
    detached: true,
    execArgv: ['--import', END_WITH_DEMO],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: environment,
  });
  const lastLines = keepLog(child, createWriteStream(log, { mode: 0o600 }), say);
  let isStopping = false;
  const failure = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const text = lastLines.map((line) => `  ${line}`).join('\n');
      if (!isStopping) reject(new Error(`The operator ended by itself (${code ?? signal}). Its last lines:\n${text}`));
    });
  });
  failure.catch(() => undefined);
  return {
    log,
    failure,
    async stop() {
      isStopping = true;
      await end(child);
    },
  };
}

/** Answers its last lines, which change as it writes. */
function keepLog(child: ChildProcess, file: WriteStream, say: Say): readonly string[] {
  const lastLines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    if (input === null) continue;
    createInterface({ input }).on('line', (line) => {
      file.write(`${line}\n`);
      lastLines.push(line);
      if (lastLines.length > SHOWN_LINES) lastLines.shift();
      const told = toldOf(line);
      if (told !== undefined) say(`operator: ${told}`);
    });
  }
  child.once('close', () => file.end());
  return lastLines;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(impatience);
}
