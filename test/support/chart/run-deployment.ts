/** Runs the Deployment of a release in a cluster without a kubelet. */
import { join } from 'node:path';
import { type Container, containerOf } from '../as-kubelet.ts';
import type { ControlPlaneAccess, ControlPlaneAddress } from '../control-plane/access.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { type OperatorProgram, startOperatorProgram } from '../operator-program.ts';
import type { Stored } from '../stored.ts';

interface Deployment {
  readonly cluster: ControlPlaneAccess & ControlPlaneAddress;
  readonly namespace: string;
  readonly name?: string;
  /** The folder of the volumes. */
  readonly folder: string;
  /** The main file of another version of the operator. */
  readonly program?: string;
}

export interface RunningDeployment extends OperatorProgram {
  readonly url: string;
  readonly container: Container;
  readonly isReady: () => Promise<boolean>;
}

export async function containerIn({ cluster, namespace, name = 'vexil', folder }: Deployment): Promise<Container> {
  const { spec }: Stored = await cluster.getObject(`deployment/${name}`, namespace);
  return containerOf({ cluster, namespace, template: spec.template, folder: join(folder, namespace) });
}

/**
 * Runs the Deployment as its pod would: only the addresses and the way to the API server differ. Resolves when the
 * operator is ready.
 */
export async function runDeployment(deployment: Deployment): Promise<RunningDeployment> {
  const { cluster, namespace, program } = deployment;
  const container = await containerIn(deployment);
  if (container.args.length > 0) throw new Error(`the container has arguments: ${container.args}`);
  const operator = startOperatorProgram({
    ...(program !== undefined && { program }),
    settings: {
      ...container.environment,
      KUBECONFIG: await cluster.kubeconfigFor({ namespace, name: container.serviceAccount }),
      VEXIL_HTTP_PORT: '0',
      VEXIL_OPS_PORT: '0',
    },
  });
  const { httpPort, opsPort } = await operator.listening;
  const isReady = async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok;
  await waitUntil({ what: 'it is ready' }, isReady);
  return { ...operator, url: `http://127.0.0.1:${httpPort}`, container, isReady };
}
