/** The programs that are measured: the operator, and the yardstick. */
import { type OperatorProgramParts, startOperatorProgram } from '../../support/operator-program.ts';
import { HOME } from '../contents.ts';
import { IMAGE_ENVIRONMENT, PROGRAM } from '../program.ts';
import { startYardstick } from '../start-yardstick.ts';
import { NAMESPACES } from './flags.ts';

export interface Contestant {
  readonly name: string;
  /**
   * How long the change of one flag may take until it is judged, at p99, while all flags are judged. Absent: as long as
   * it likes.
   */
  readonly maxChangeMs?: number;
  start(parts: StartParts): Promise<Running>;
}

export interface StartParts {
  readonly kubeconfig: string;
  /** Gets what a person should see. */
  readonly complain: (line: string) => void;
}

export interface Running {
  readonly pid: number;
  /** When the process began, by `performance.now()`. */
  readonly startedAt: number;
  /** Resolves when its caches have had their first list. */
  readonly synced: Promise<void>;
  /** Of the admin API, where there is one. */
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

/** What runs it, and how; the Node.js that runs this, unless said. */
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
