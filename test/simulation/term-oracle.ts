/** At any moment, only the leader sends what a leader writes. */
import { leaseOf } from '../../src/app/election.ts';
import type { Call } from '../../src/kube/api/transport.ts';
import type { Etcd } from './cluster/etcd.ts';
import { keyAt, placeOf } from './cluster/resources.ts';
import { HOME } from './replica.ts';

/**
 * Each replica writes the changes of its callers, and takes part in the election. The same Event has the same name, and
 * says what is stored already, so it may wait for a connection while its sender is paused.
 */
const NOT_FENCED: ReadonlySet<string> = new Set(['leases', 'events']);

/** The complaint about a call that a replica sends; undefined if it may send it. */
export function outsideTerm(etcd: Etcd, sender: string, { method, path }: Call): string | undefined {
  const { resource, subresource } = placeOf(path);
  const isOfLeader = resource.isCustom ? subresource === 'status' : !NOT_FENCED.has(resource.plural);
  if (method === 'GET' || !isOfLeader) return undefined;
  const holder = holderOf(etcd);
  return holder === sender ? undefined : `${sender} sends ${method} ${path} in the term of ${holder || 'nobody'}`;
}

/** Empty: nobody holds the lease. */
function holderOf(etcd: Etcd): string {
  const { namespace, name } = leaseOf({ namespace: HOME });
  const { resource } = placeOf(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`);
  const lease = etcd.get(keyAt(resource, namespace, name));
  return (lease?.['spec'] as { readonly holderIdentity?: string } | undefined)?.holderIdentity ?? '';
}
