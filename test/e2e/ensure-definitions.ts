/** Installs the resource definitions for releases that do not contain them. */
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import type { RealCluster } from './cluster.ts';

/**
 * Installs the definitions unless a release has installed them. A test file that runs alone has none before its first
 * release.
 */
export async function ensureDefinitions(cluster: RealCluster): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/featureflags.vexil.dev';
  if ((await cluster.read(path)) === undefined) await installDefinitions(cluster);
}
