/** The application of the demo, in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Say } from '../../scripts/tools/progress.ts';
import type { ControlPlane } from '../support/control-plane/start-control-plane.ts';
import { HOME } from './settings.ts';

const PROGRAM = fileURLToPath(new URL('application.ts', import.meta.url));
const END_WITH_PARENT = new URL('../support/end-with-parent.js', import.meta.url).href;
/** The sample whose token the application has. */
const SECRET = 'vexil-token-shop-backend';

export interface RunningApplication {
  /** The path of the file with everything that the application has printed. */
  readonly log: string;
  /** Rejects if the application ends unexpectedly. */
  readonly failure: Promise<never>;
  stop(): Promise<void>;
}

export interface ApplicationParts {
  readonly plane: ControlPlane;
  /** The address of Vexil. */
  readonly url: string;
  /** Receives each line of the application. */
  readonly say: Say;
}

/** Resolves when the application has read flags. It ends with this process at the latest. */
export async function startApplication({ plane, url, say }: ApplicationParts): Promise<RunningApplication> {
  const jsonpath = '--output=jsonpath={.data.token}';
  const secret = await plane.kubectlOrThrow(['get', 'secret', SECRET, '--namespace', HOME, jsonpath]);
  const VEXIL_TOKEN = Buffer.from(secret, 'base64').toString();
  const child = fork(PROGRAM, {
    // Ctrl-C in a terminal reaches only this process, which stops the application in order.
    detached: true,
    execArgv: ['--import', END_WITH_PARENT],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'], VEXIL_URL: url, VEXIL_TOKEN, BACKUP_FOLDER: plane.directory },
  });
  const log = join(plane.directory, 'application.log');
  const file = createWriteStream(log);
  const first = Promise.withResolvers<void>();
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      file.write(`${line}\n`);
      say(`web-shop: ${line}`);
      first.resolve();
    });
  }
  let isStopping = false;
  const ended = once(child, 'close');
  const failure = ended.then(([code, signal]) => {
    file.end();
    if (isStopping) return new Promise<never>(() => undefined);
    throw new Error(`The application ended by itself (${code ?? signal})`);
  });
  failure.catch(() => undefined);
  await Promise.race([first.promise, failure]);
  return {
    log,
    failure,
    async stop() {
      isStopping = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
}
