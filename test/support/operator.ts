/** An operator for one test file: the real app under its own ServiceAccount, in namespaces of its own. */
import { inject } from 'vitest';
import { deployOperator } from '../e2e/deployed-operator.ts';
import type { Cluster } from './cluster.ts';
import { grantOperatorRoles } from './operator-roles.ts';
import { type RunningApp, startApp } from './running-app.ts';

export interface OperatorOptions {
  /** Namespaces beside home; they must exist. */
  readonly watched?: readonly string[];
  /** `VEXIL_*` variables; ports are free ones unless said. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Operator extends RunningApp {
  readonly home: string;
  /** The path of the kubeconfig that it uses. */
  readonly kubeconfig: string;
}

/** Resolves when the caches are full. In this process, but in a pod where the run has a stage for pods. */
export async function startOperator(cluster: Cluster, home: string, options: OperatorOptions = {}): Promise<Operator> {
  if (inject('stage') !== undefined) return deployOperator(home, options);
  const watched = options.watched ?? [];
  const kubeconfig = await grantOperatorRoles(cluster, home, watched);
  const app = await startApp({
    KUBECONFIG: kubeconfig,
    VEXIL_NAMESPACE: home,
    VEXIL_WATCH_NAMESPACES: [home, ...watched].join(','),
    ...options.settings,
  });
  await app.ready();
  return { ...app, home, kubeconfig };
}
