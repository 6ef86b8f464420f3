/** Builds the Go operator that ours is measured against, and starts it in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { narrate } from '../support/control-plane/progress.ts';
import { runProgram } from '../support/control-plane/run-program.ts';

const SOURCES = fileURLToPath(new URL('yardstick', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../.cache/yardstick/yardstick', import.meta.url));

/** After this a yardstick that was asked to end is killed. */
const GRACE_MS = 20_000;

export interface YardstickParts {
  /** Its current context names the namespace of the environments. */
  readonly kubeconfig: string;
  /** Those of projects and flags. */
  readonly namespaces: readonly string[];
  /** Gets the lines that a person should see. */
  readonly complain: (line: string) => void;
}

export interface Yardstick {
  readonly pid: number;
  /** Resolves when its caches have had their first list. */
  readonly synced: Promise<void>;
  /** SIGTERM, and SIGKILL when it does not obey. */
  stop(): Promise<void>;
}

let built: Promise<void> | undefined;

/** Answers as soon as the process is there, built before; it ends with this process at the latest. */
export async function startYardstick({ kubeconfig, namespaces, complain }: YardstickParts): Promise<Yardstick> {
  built ??= build(complain);
  await built;
  const child = spawn(PROGRAM, {
    // Its own process group: Ctrl-C in a terminal reaches only us, and we stop it in order.
    detached: true,
    // Nothing is written to its input: that ends when we do, and so does the yardstick.
    stdio: 'pipe',
    // Nothing else, so that no setting of Go meant for other programs changes what is measured.
    env: { KUBECONFIG: kubeconfig, YARDSTICK_NAMESPACES: namespaces.join(',') },
  });
  await once(child, 'spawn');
  if (child.pid === undefined) throw new Error('the yardstick could not be started');
  const ended = once(child, 'close');
  return { pid: child.pid, synced: listen(child, ended, complain), stop: () => stopChild(child, ended) };
}

/** Go knows itself what is built already, so a second time takes no more than a look. */
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
  // Callers of `synced` get the error; without one it must not end this process.
  synced.catch(() => undefined);
  return synced;
}

async function stopChild(child: ChildProcess, ended: Promise<unknown[]>): Promise<void> {
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(impatience);
}
