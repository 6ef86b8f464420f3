/** The operator as people run it: its main program in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stopChild } from './child-program.ts';
import { HOME, SHOP } from './contents.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const END_WITH_PARENT = new URL('end-with-parent.ts', import.meta.url).href;

export interface OperatorProgram {
  readonly port: number;
  stop(): Promise<void>;
}

export interface OperatorOptions {
  readonly kubeconfig: string;
  /** A directory for a CPU profile, written when it stops. */
  readonly profile: string | undefined;
  /** Gets the log lines that a person should see. */
  readonly complain: (line: string) => void;
}

/** Answers when it listens; the caches may still be filling. */
export async function startOperatorProgram(options: OperatorOptions): Promise<OperatorProgram> {
  const { kubeconfig, profile } = options;
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = fork(MAIN, {
    execArgv: ['--import', END_WITH_PARENT, ...profiling],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...otherVariables(),
      NODE_ENV: 'production',
      KUBECONFIG: kubeconfig,
      VEXIL_NAMESPACE: HOME,
      VEXIL_WATCH_NAMESPACES: `${HOME},${SHOP}`,
      VEXIL_HTTP_PORT: '0',
      VEXIL_OPS_PORT: '0',
      VEXIL_AUTH: 'none',
    },
  });
  const port = await Promise.race([listeningPort(child, options), earlyEnd(child)]);
  return { port, stop: () => stopChild(child) };
}

/** The caller's own settings must not change what is measured. */
function otherVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VEXIL_')));
}

interface LogLine {
  readonly level: string;
  readonly httpPort?: number;
}

function listeningPort({ stdout }: ChildProcess, { complain }: OperatorOptions): Promise<number> {
  if (stdout === null) throw new Error('the log of the operator cannot be read');
  return new Promise((resolve) => {
    createInterface({ input: stdout }).on('line', (text) => {
      const line = JSON.parse(text) as LogLine;
      if (line.httpPort !== undefined) resolve(line.httpPort);
      if (line.level !== 'info') complain(text);
    });
  });
}

async function earlyEnd(child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`the operator ended early (${code ?? signal})`);
}
