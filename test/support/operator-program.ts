/** The operator as users run it: its main program in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A test run builds the program once, as users run it. It starts with a fifth of the cost of the sources. */
const MAIN = process.env['VEXIL_TEST_PROGRAM'] ?? fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** The commit that the program reports. */
export const TEST_REVISION = '0123abc';
const END_WITH_PARENT = new URL('end-with-parent.js', import.meta.url).href;

/** After this time, an operator that was asked to end is killed. */
const GRACE_MS = 20_000;

export interface OperatorProgramParts {
  /** Environment variables. `VEXIL_*` and KUBECONFIG of this process are not passed on. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** Receives each line that the program writes. */
  readonly onLine?: (line: string) => void;
  /** The file to run; by default the built one, or the sources if there is none. */
  readonly program?: string;
  /** Options of Node.js, for instance a profiler. */
  readonly nodeOptions?: readonly string[];
  /** The program that runs it; by default the Node.js of this process. */
  readonly node?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface OperatorProgram {
  readonly pid: number;
  /**
   * Resolves when the operator listens. Its caches may still be filling. Rejects at once if its log level hides the
   * ports.
   */
  readonly listening: Promise<{ readonly httpPort: number; readonly opsPort: number }>;
  readonly ended: Promise<Ended>;
  send(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, and SIGKILL if the process does not end. */
  stop(): Promise<Ended>;
}

/** Starts the operator. It ends with this process at the latest. */
export function startOperatorProgram(parts: OperatorProgramParts): OperatorProgram {
  const { settings, onLine, program = MAIN, nodeOptions = [], node = process.execPath } = parts;
  const child = fork(program, {
    // The child has its own process group: Ctrl-C in a terminal reaches only this process, which stops the child in
    // order.
    detached: true,
    execPath: node,
    execArgv: ['--import', END_WITH_PARENT, ...nodeOptions],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...withoutOurSettings(), ...archiveFolderFor(settings['KUBECONFIG']), ...settings },
  });
  if (child.pid === undefined) throw new Error('the operator could not be started');
  const ended = endOf(child);
  const listening = refuseIfQuiet(settings) ?? portsOf(child, ended);
  listening.catch(() => undefined);
  for (const input of [child.stdout, child.stderr]) {
    if (input) createInterface({ input }).on('line', (line) => onLine?.(line));
  }
  return {
    pid: child.pid,
    listening,
    ended,
    send: (signal) => void child.kill(signal),
    async stop() {
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
      const end = await ended;
      clearTimeout(impatience);
      return end;
    },
  };
}

function withoutOurSettings(): NodeJS.ProcessEnv {
  const foreign = ([name]: [string, unknown]) => !name.startsWith('VEXIL_') && name !== 'KUBECONFIG';
  return Object.fromEntries(Object.entries(process.env).filter(foreign));
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const [code, signal] = await once(child, 'close');
  return { code, signal };
}

/** The ports are logged in a line of level info. */
function refuseIfQuiet({ VEXIL_LOG_LEVEL: level }: OperatorProgramParts['settings']): Promise<never> | undefined {
  if (level !== 'warn' && level !== 'error') return undefined;
  const message = `with VEXIL_LOG_LEVEL=${level} the operator does not say where it listens: use info or debug`;
  return Promise.reject(new Error(message));
}

async function portsOf(child: ChildProcess, ended: Promise<Ended>) {
  const ports = new Promise<{ httpPort: number; opsPort: number }>((resolve) => {
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { httpPort, opsPort } = JSON.parse(line) as { httpPort?: number; opsPort?: number };
      if (httpPort !== undefined && opsPort !== undefined) resolve({ httpPort, opsPort });
    });
  });
  const early = ended.then(({ code, signal }) => {
    throw new Error(`the operator ended before it listened (${code ?? signal})`);
  });
  return Promise.race([ports, early]);
}

/**
 * Settings of the history; none without a kubeconfig. Operators that share a kubeconfig share it, and it is deleted
 * with the control plane.
 */
function archiveFolderFor(kubeconfig: string | undefined): { VEXIL_AUDIT_URL?: string } {
  return kubeconfig === undefined ? {} : { VEXIL_AUDIT_URL: `sqlite:${kubeconfig}.audit.db` };
}
