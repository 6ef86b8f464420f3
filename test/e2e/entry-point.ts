/** A route from this machine to the pods of a Service: a port of the node that is forwarded to 127.0.0.1. */
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { RealCluster } from './cluster.ts';

export interface EntryPointParts {
  readonly namespace: string;
  /** The Service of the pods. */
  readonly service: string;
  /** The name of its port. */
  readonly port: string;
}

/**
 * Returns the URL, `http://127.0.0.1:…`. The test creates its own Service for the pods, next to the one of the chart,
 * which is for callers in the cluster. The Service stays, because no other one may get its port: connections that a
 * client keeps would lead to the old pods. Resolves when a pod answers, because the node learns of a new Service later
 * than the API server.
 */
export async function openEntryPoint(
  cluster: RealCluster,
  { namespace, service, port }: EntryPointParts,
): Promise<string> {
  const { spec } = await cluster.read(`/api/v1/namespaces/${namespace}/services/${service}`);
  const { targetPort, port: number } = spec.ports.find(({ name }: { name: string }) => name === port);
  for (const { nodePort, port: outside } of cluster.stage.entryPoints) {
    const name = `entry-point-${nodePort}`;
    const ports = [{ name: port, port: number, targetPort, nodePort }];
    const entryPoint = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { type: 'NodePort', selector: spec.selector, ports },
    };
    const { code, stderr } = await cluster.kubectl(['create', '-f', '-'], { input: JSON.stringify(entryPoint) });
    if (code === 0) return leadingToPod(`http://127.0.0.1:${outside}`);
    if (!/already (allocated|exists)/.test(stderr)) throw new Error(stderr);
  }
  throw new Error('every port of the node that leads outside is taken');
}

async function leadingToPod(url: string): Promise<string> {
  await waitUntil({ what: `a pod answers at ${url}`, timeoutMs: 60_000 }, async () => {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    return answer !== undefined;
  });
  return url;
}
