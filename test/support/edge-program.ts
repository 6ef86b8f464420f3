/** The edge as users run it: its program in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compileCache } from './compile-cache.ts';

const EDGE = new URL('../../src/edge.ts', import.meta.url);
const END_WITH_PARENT = new URL('end-with-parent.js', import.meta.url).href;

export interface EdgeProgram {
  readonly url: string;
  readonly pid: number;
  /** The lines of the log so far. */
  readonly lines: readonly string[];
  /** Stops its work for a time, as a machine does that is overloaded. */
  pause(): void;
  resume(): void;
  /** Resolves with the exit code, null after SIGKILL, when the process has ended. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

interface RunOptions {
  /** The file to run; by default the sources. */
  readonly program?: URL;
  readonly nodeOptions?: readonly string[];
}

/** Resolves when the edge listens. It ends with this process at the latest. */
export async function startEdgeProgram(
  settings: Readonly<Record<string, string>>,
  { program = EDGE, nodeOptions = [] }: RunOptions = {},
): Promise<EdgeProgram> {
  const child = fork(fileURLToPath(program), {
    detached: true,
    execArgv: ['--import', END_WITH_PARENT, ...nodeOptions],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...{ PATH: process.env['PATH'], PORT: '0', INTERFACE: '127.0.0.1' },
      // What is built is measured as users run it.
      ...(program === EDGE && compileCache),
      ...settings,
    },
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const lines: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      if (!input) continue;
      createInterface({ input }).on('line', (line) => {
        lines.push(line);
        const found = /"port":(\d+),"msg":"edge: listening"/.exec(line)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    }
    void ended.then(([code]) => reject(new Error(`the edge ended with ${code}: ${lines.join('\n')}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? Number.NaN,
    lines,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async end(signal) {
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}
