/** Waits for the definitions of a GitOps tool. */
import type { ControlPlaneAccess } from '../control-plane/access.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import type { Stored } from '../stored.ts';

/** Resolves when the API server serves the kinds. `kubectl wait` fails as long as a definition has no conditions. */
export async function untilEstablished(
  cluster: Pick<ControlPlaneAccess, 'request'>,
  definitions: readonly { readonly metadata: { readonly name: string } }[],
): Promise<void> {
  for (const { metadata } of definitions) {
    const { name } = metadata;
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    await waitUntil({ what: `${name} is established` }, async () => {
      const { status = {} }: Stored = await cluster.request({ method: 'GET', path });
      return (status.conditions ?? []).some(({ type, status: is }: Stored) => type === 'Established' && is === 'True');
    });
  }
}
