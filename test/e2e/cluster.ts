/** The cluster of the end-to-end tests as a test file uses it. */
import { inject } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import { type Cluster, sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';
import type { Stage } from './stage.ts';

export interface Pod {
  readonly name: string;
  readonly uid: string;
  readonly isReady: boolean;
  readonly isEnding: boolean;
  readonly phase: string;
  readonly restarts: number;
  /** The URI of its container, for the container runtime. */
  readonly containerId: string;
}

export interface RealCluster extends Cluster {
  readonly stage: Stage;
  /** A namespace in which only pods of the restricted standard may run. */
  restrictedNamespace(name: string): Promise<void>;
  /** Reads the object at a path like `/api/v1/namespaces/a/pods/b`; undefined if it does not exist. */
  read(path: string): Promise<Stored | undefined>;
  /** Applies objects as `kubectl apply` does. */
  apply(...objects: readonly object[]): Promise<void>;
  /** Returns the pods, ordered by name. */
  pods(namespace: string, selector: string): Promise<readonly Pod[]>;
  /** Resolves with the exit code of the only container of a pod when it has ended. */
  exitOf(namespace: string, pod: string): Promise<number>;
  /** The memory as the kubelet measures it, which is the value that it compares with the limit. */
  memoryOf(namespace: string, pod: string): Promise<Memory>;
  close(): void;
}

export interface Memory {
  readonly workingSetBytes: number;
  readonly rssBytes: number;
}

export function realCluster(): RealCluster {
  const cluster = sharedCluster();
  const transport = connect(loadKubeConfig(cluster.kubeconfig));
  const read = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<Stored | undefined> => {
    try {
      return await transport.request({ method: 'GET', path, query });
    } catch (error) {
      if (isClusterError(error, 'not-found')) return undefined;
      throw error;
    }
  };
  return {
    ...cluster,
    stage: inject('stage'),
    read,
    async restrictedNamespace(name) {
      const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
      await cluster.kubectlOrThrow(['create', '-f', '-'], { input: JSON.stringify(namespace) });
    },
    async apply(...objects) {
      const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
      await cluster.kubectlOrThrow(['apply', '-f', '-'], { input });
    },
    async pods(namespace, labelSelector) {
      const list = await read(`/api/v1/namespaces/${namespace}/pods`, { labelSelector });
      return list.items.map(podOf).toSorted((one: Pod, other: Pod) => one.name.localeCompare(other.name));
    },
    async exitOf(namespace, pod) {
      const path = `/api/v1/namespaces/${namespace}/pods`;
      const query = { watch: true, fieldSelector: `metadata.name=${pod}` };
      for await (const { object } of (await transport.stream({ path, query })) as AsyncIterable<Stored>) {
        const exitCode = object.status.containerStatuses?.[0]?.state.terminated?.exitCode;
        if (exitCode !== undefined) return exitCode;
      }
      throw new Error(`the pod ${pod} is gone, and no status says how it ended`);
    },
    async memoryOf(namespace, pod) {
      const { spec } = await read(`/api/v1/namespaces/${namespace}/pods/${pod}`);
      return waitUntil({ what: `the kubelet has measured ${pod}`, timeoutMs: 60_000, everyMs: 1_000 }, async () => {
        const { pods } = await read(`/api/v1/nodes/${spec.nodeName}/proxy/stats/summary`);
        const measured = pods.find(({ podRef }: Stored) => podRef.name === pod && podRef.namespace === namespace);
        return measured?.containers[0]?.memory?.workingSetBytes !== undefined && measured.containers[0].memory;
      });
    },
    close: () => transport.close(),
  };
}

function podOf({ metadata, status }: Stored): Pod {
  const [container] = status.containerStatuses ?? [];
  return {
    name: metadata.name,
    uid: metadata.uid,
    isReady: container?.ready === true,
    isEnding: metadata.deletionTimestamp !== undefined,
    phase: status.phase,
    restarts: container?.restartCount ?? 0,
    containerId: container?.containerID ?? '',
  };
}
