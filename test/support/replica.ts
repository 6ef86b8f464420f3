/** One of several replicas of the operator, with the requests that can be sent to it. */
import type { Cluster } from './cluster.ts';
import { type OperatorProgram, type OperatorProgramParts, startOperatorProgram } from './operator-program.ts';
import { grantOperatorRoles } from './operator-roles.ts';
import { readMetric } from './read-metric.ts';
import type { Stored } from './stored.ts';
import { QUICK_LEASE } from './timings.ts';

export interface Replica extends OperatorProgram {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /** The value of a series; 0 if it does not exist. `series` is like `vexil_leader` or `name{label="value"}`. */
  metric(series: string): Promise<number>;
  metricsPage(): Promise<string>;
  isReady(): Promise<boolean>;
  /** The answer of the readiness probe. */
  readiness(): Promise<{ readonly status: number; readonly body: Stored }>;
  /** The log so far. */
  readonly lines: readonly string[];
  leads(): Promise<boolean>;
}

export interface ReplicaOptions extends Partial<Pick<OperatorProgramParts, 'node' | 'nodeOptions'>> {
  readonly kubeconfig: string;
  readonly home: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The replicas of one operator namespace share a kubeconfig. */
export function replicaKubeconfig(cluster: Cluster, home: string): Promise<string> {
  return grantOperatorRoles(cluster, home, []);
}

/** Resolves when the replica listens. Its lease is short, unless the settings say otherwise. */
export async function startReplica({ kubeconfig, home, settings, ...program }: ReplicaOptions): Promise<Replica> {
  const lines: string[] = [];
  const operator = startOperatorProgram({
    ...program,
    onLine: (line) => lines.push(line),
    settings: {
      KUBECONFIG: kubeconfig,
      VEXIL_NAMESPACE: home,
      VEXIL_HTTP_PORT: '0',
      VEXIL_OPS_PORT: '0',
      VEXIL_AUTH: 'none',
      VEXIL_REVIEW_TIMEOUT: '30s',
      ...QUICK_LEASE,
      ...settings,
    },
  });
  const { httpPort, opsPort } = await operator.listening;
  const opsUrl = `http://127.0.0.1:${opsPort}`;
  const metric = (series: string) => readMetric(opsUrl, series);
  return {
    ...operator,
    url: `http://127.0.0.1:${httpPort}`,
    metric,
    metricsPage: async () => (await fetch(`${opsUrl}/metrics`)).text(),
    lines,
    async readiness() {
      const answer = await fetch(`${opsUrl}/readyz`);
      return { status: answer.status, body: await answer.json() };
    },
    isReady: async () => (await fetch(`${opsUrl}/readyz`)).ok,
    leads: async () => (await metric('vexil_leader')) === 1,
  };
}
