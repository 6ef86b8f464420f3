/** The operator that is measured. */
import { startOperatorProgram } from '../support/operator-program.ts';
import { HOME, SHOP } from './contents.ts';
import { ADMIN_TOKEN } from './tokens.ts';

export interface MeasuredOperator {
  readonly pid: number;
  readonly port: number;
  /** The URL of probes and metrics. */
  readonly opsUrl: string;
  stop(): Promise<void>;
}

export interface OperatorOptions {
  readonly kubeconfig: string;
  /** A directory for a CPU profile, written when it stops. */
  readonly profile: string | undefined;
  /** Receives the log lines that the user should see. */
  readonly complain: (line: string) => void;
}

/** Resolves when the operator listens. Its caches may still be filling. */
export async function startMeasuredOperator({
  kubeconfig,
  profile,
  complain,
}: OperatorOptions): Promise<MeasuredOperator> {
  const operator = startOperatorProgram({
    settings: {
      NODE_ENV: 'production',
      KUBECONFIG: kubeconfig,
      VEXIL_NAMESPACE: HOME,
      VEXIL_WATCH_NAMESPACES: SHOP,
      VEXIL_HTTP_PORT: '0',
      VEXIL_OPS_PORT: '0',
      VEXIL_AUTH: 'token',
      VEXIL_ADMIN_TOKEN: ADMIN_TOKEN,
      // All streams of a benchmark have one token.
      VEXIL_SDK_STREAMS_PER_TOKEN: 'off',
    },
    nodeOptions: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
    onLine: (line) => {
      if (!line.startsWith('{"level":"info"')) complain(line);
    },
  });
  const { httpPort, opsPort } = await operator.listening;
  return {
    pid: operator.pid,
    port: httpPort,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    async stop() {
      await operator.stop();
    },
  };
}
