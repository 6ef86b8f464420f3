/**
 * A lease of another holder: an operator that starts then reads and answers, but neither judges nor records the
 * history.
 */
import type { ControlPlaneAccess } from './control-plane/access.ts';
import { objectPath } from './control-plane/objects.ts';

const LONGER_THAN_ANY_TEST_SECONDS = 3600;

export async function holdLease(cluster: ControlPlaneAccess, namespace: string): Promise<void> {
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name: 'vexil' },
    spec: { holderIdentity: 'somebody else', leaseDurationSeconds: LONGER_THAN_ANY_TEST_SECONDS },
  };
  await cluster.request({ method: 'POST', path: objectPath('leases', namespace), body: lease });
}
