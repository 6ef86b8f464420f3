/** The measured programs: the operator and the yardstick. */
import { type OperatorProgramParts, startOperatorProgram } from '../../support/operator-program.ts';
import { HOME } from '../contents.ts';
import { IMAGE_ENVIRONMENT, PROGRAM } from '../program.ts';
import { startYardstick } from '../start-yardstick.ts';
import { NAMESPACES } from './flags.ts';

export interface Contestant {
  readonly name: string;
  /**
   * The longest time, at p99, until a change of one flag is judged while all flags are judged. If absent, there is no
   * limit.
   */
  readonly maxChangeMs?: number;
  start(parts: StartParts): Promise<Running>;
}

export interface StartParts {
  readonly kubeconfig: string;
  /** Receives the lines that the user should see. */
  readonly complain: (line: string) => void;
}

export interface Running {
  readonly pid: number;
  /** The start of the process, by `performance.now()`. */
  readonly startedAt: number;
  /** Resolves when the caches have received their first list. */
  readonly synced: Promise<void>;
  /** The URL of the admin API, if there is one. */
  readonly url?: string;
  stop(): Promise<void>;
}

export const yardstick: Contestant = {
  name: 'controller-runtime',
  async start({ kubeconfig, complain }) {
    const yardstick = await startYardstick({ kubeconfig, complain, namespaces: NAMESPACES });
    return { ...yardstick, startedAt: performance.now() };
  },
};

/** The program that runs it, and its options; by default the Node.js of this process. */
export type Runtime = Pick<OperatorProgramParts, 'node' | 'nodeOptions'>;

export function vexil(runtime: Runtime): Contestant {
  return { name: 'Vexil', maxChangeMs: 1000, start: (parts) => startVexil(parts, runtime) };
}

async function startVexil({ kubeconfig, complain }: StartParts, runtime: Runtime): Promise<Running> {
  let reportSynced: () => void = () => undefined;
  const synced = new Promise<void>((resolve) => {
    reportSynced = resolve;
  });
  const startedAt = performance.now();
  const operator = startOperatorProgram({
    settings: {
      KUBECONFIG: kubeconfig,
      VEXIL_NAMESPACE: HOME,
      VEXIL_WATCH_NAMESPACES: NAMESPACES.join(','),
      VEXIL_HTTP_PORT: '0',
      VEXIL_OPS_PORT: '0',
      VEXIL_AUTH: 'none',
      ...IMAGE_ENVIRONMENT,
    },
    program: PROGRAM,
    ...runtime,
    onLine: (line) => {
      if (line.includes('"cache: synced"')) reportSynced();
      if (!line.startsWith('{"level":"info"')) complain(line);
    },
  });
  const { httpPort } = await operator.listening;
  return {
    pid: operator.pid,
    startedAt,
    synced,
    url: `http://127.0.0.1:${httpPort}`,
    stop: async () => void (await operator.stop()),
  };
}
