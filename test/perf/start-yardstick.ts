/** Builds the Go operator that Vexil is compared with, and starts it in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { narrate } from '../../scripts/tools/progress.ts';
import { runProgram } from '../../scripts/tools/run-program.ts';

const SOURCES = fileURLToPath(new URL('yardstick', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../.cache/yardstick/yardstick', import.meta.url));

/** After this time, a yardstick that was asked to end is killed. */
const GRACE_MS = 20_000;

export interface YardstickParts {
  /** The path of a kubeconfig. Its current context names the namespace of the environments. */
  readonly kubeconfig: string;
  /** The namespaces of projects and flags. */
  readonly namespaces: readonly string[];
  /** Receives the lines that the user should see. */
  readonly complain: (line: string) => void;
}

export interface Yardstick {
  readonly pid: number;
  /** Resolves when the caches have received their first list. */
  readonly synced: Promise<void>;
  /** Sends SIGTERM, and SIGKILL if the process does not end. */
  stop(): Promise<void>;
}

let built: Promise<void> | undefined;

/** Builds the yardstick. Resolves when its process exists; the process ends with this one at the latest. */
export async function startYardstick({ kubeconfig, namespaces, complain }: YardstickParts): Promise<Yardstick> {
  built ??= build(complain);
  await built;
  const child = spawn(PROGRAM, {
    // The child has its own process group: Ctrl-C in a terminal reaches only this process, which stops the child in
    // order.
    detached: true,
    // Nothing is written to the input of the child. The input closes when this process ends, and the yardstick ends
    // with it.
    stdio: 'pipe',
    // The child gets no other variables, so that no setting of Go for other programs changes the result.
    env: { KUBECONFIG: kubeconfig, YARDSTICK_NAMESPACES: namespaces.join(',') },
  });
  await once(child, 'spawn');
  if (child.pid === undefined) throw new Error('the yardstick could not be started');
  const ended = once(child, 'close');
  return { pid: child.pid, synced: listen(child, ended, complain), stop: () => stopChild(child, ended) };
}

/** Builds the program. Go knows what is built already, so a second build takes no time. */
async function build(say: (line: string) => void): Promise<void> {
  const args = ['build', '-trimpath', '-buildvcs=false', '-o', PROGRAM, '.'];
  const options = { cwd: SOURCES, environment: { CGO_ENABLED: '0' }, endsWithUs: true };
  const what = 'building the yardstick (minutes when Go has not built it before)';
  const { code, stderr } = await narrate({ say, what }, () => runProgram('go', args, options).catch(explainMissingGo));
  if (code !== 0) throw new Error(`go build of the yardstick failed:\n${stderr.trimEnd()}`);
}

function explainMissingGo(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  const message =
    'The yardstick has to be built, but there is no Go here. Install Go 1.26 or newer (https://go.dev/dl).';
  throw new Error(message, { cause: error });
}

function listen(child: ChildProcess, ended: Promise<unknown[]>, complain: (line: string) => void): Promise<void> {
  const said = new Promise<void>((resolve) => {
    for (const input of [child.stdout, child.stderr]) {
      if (!input) continue;
      createInterface({ input }).on('line', (line) => {
        if (!line.startsWith('{"level":"info"')) complain(line);
        else if ((JSON.parse(line) as { msg?: string }).msg === 'cache: synced') resolve();
      });
    }
  });
  const early = ended.then(([code, signal]) => {
    throw new Error(`the yardstick ended before its caches were synced (${code ?? signal})`);
  });
  const synced = Promise.race([said, early]);
  // Callers of `synced` get the error; without a caller it must not end this process.
  synced.catch(() => undefined);
  return synced;
}

async function stopChild(child: ChildProcess, ended: Promise<unknown[]>): Promise<void> {
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(impatience);
}
