/** Waits for the definitions of a GitOps tool. */
import type { ControlPlaneAccess } from '../control-plane/access.ts';

/** Resolves when the API server serves the kinds. */
export async function untilEstablished(
  cluster: Pick<ControlPlaneAccess, 'kubectlOrThrow'>,
  definitions: readonly { readonly metadata: { readonly name: string } }[],
): Promise<void> {
  const names = definitions.map(({ metadata }) => `crd/${metadata.name}`);
  // `--for=condition` fails as long as a new definition has no conditions.
  const isEstablished = '--for=jsonpath={.status.conditions[?(@.type=="Established")].status}=True';
  await cluster.kubectlOrThrow(['wait', isEstablished, ...names]);
}
