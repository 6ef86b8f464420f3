/** The resource definitions, for releases that come without them. */
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import type { RealCluster } from './cluster.ts';

/** They are there after the first release; a file alone has none before it. */
export async function ensureDefinitions(cluster: RealCluster): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/featureflags.vexil.dev';
  if ((await cluster.read(path)) === undefined) await installDefinitions(cluster);
}
