/** A lease that another holder has: an operator that starts then reads and answers, but neither judges nor records the history. */
import type { ControlPlaneAccess } from './control-plane/access.ts';

const LONGER_THAN_ANY_TEST_SECONDS = 3600;

export async function holdLease({ kubectlOrThrow }: ControlPlaneAccess, namespace: string): Promise<void> {
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name: 'vexil' },
    spec: { holderIdentity: 'somebody else', leaseDurationSeconds: LONGER_THAN_ANY_TEST_SECONDS },
  };
  await kubectlOrThrow(['create', '-f', '-'], { input: JSON.stringify(lease) });
}
