/** The operator that is measured. */
import { startOperatorProcess } from '../support/operator-process.ts';
import { HOME, SHOP } from './contents.ts';

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
export async function startOperatorProgram({
  kubeconfig,
  profile,
  complain,
}: OperatorOptions): Promise<OperatorProgram> {
  const operator = startOperatorProcess({
    settings: {
      NODE_ENV: 'production',
      KUBECONFIG: kubeconfig,
      VEXIL_NAMESPACE: HOME,
      VEXIL_WATCH_NAMESPACES: SHOP,
      VEXIL_HTTP_PORT: '0',
      VEXIL_OPS_PORT: '0',
      VEXIL_AUTH: 'none',
    },
    nodeOptions: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
    onLine: (line) => {
      if (!line.startsWith('{"level":"info"')) complain(line);
    },
  });
  const { httpPort } = await operator.listening;
  return {
    port: httpPort,
    async stop() {
      await operator.stop();
    },
  };
}
