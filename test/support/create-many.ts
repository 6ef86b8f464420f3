/** Creates many objects, fifty at once, in no order: also those that are too large for `kubectl apply`. */
import type { Manifest } from './builders.ts';
import type { Cluster } from './cluster.ts';

const AT_ONCE = 50;

export async function createMany(cluster: Cluster, manifests: readonly Manifest[]): Promise<void> {
  for (let from = 0; from < manifests.length; from += AT_ONCE) {
    await Promise.all(manifests.slice(from, from + AT_ONCE).map((body) => create(cluster, body)));
  }
}

function create(cluster: Cluster, body: Manifest): Promise<unknown> {
  const { apiVersion, kind, metadata } = body;
  const path = `/apis/${apiVersion}/namespaces/${metadata.namespace}/${kind.toLowerCase()}s`;
  return cluster.request({ method: 'POST', path, body });
}
