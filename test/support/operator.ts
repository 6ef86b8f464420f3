/**
 * An operator for one test file: the real app with the roles and the environment of the chart, in namespaces of its
 * own.
 */
import { inject } from 'vitest';
import { deployOperator } from '../e2e/deployed-operator.ts';
import { environmentOfChart } from './chart/environment-of-chart.ts';
import type { OperatorWishes } from './chart/operator-values.ts';
import type { Cluster } from './cluster.ts';
import { grantOperatorRoles } from './operator-roles.ts';
import { type RunningApp, startApp } from './running-app.ts';

/** The watched namespaces must exist. */
export type OperatorOptions = OperatorWishes;

export interface Operator extends RunningApp {
  readonly home: string;
  /** The path of the kubeconfig of the operator. */
  readonly kubeconfig: string;
}

/**
 * Resolves when the caches are full. The operator runs in this process, or in a pod if the run has a stage for pods.
 */
export async function startOperator(cluster: Cluster, home: string, options: OperatorOptions = {}): Promise<Operator> {
  if (inject('stage') !== undefined) return deployOperator(home, options);
  const [kubeconfig, environment] = await Promise.all([
    grantOperatorRoles(cluster, home, options.watched ?? []),
    environmentOfChart(home, options),
  ]);
  const app = await startApp({ ...environment, KUBECONFIG: kubeconfig });
  await app.ready();
  return { ...app, home, kubeconfig };
}
