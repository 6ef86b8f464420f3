/** Installs the resource definitions of the project in a cluster. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClusterError } from '../../../src/errors.ts';
import type { Stored } from '../stored.ts';
import type { ControlPlaneAccess } from './access.ts';
import { waitUntil } from './wait-until.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

/** Applies crds/ if it has files. Resolves when all definitions are served. */
export async function installDefinitions(cluster: ControlPlaneAccess, project: string = PROJECT): Promise<void> {
  const names = await applyFolder(cluster, join(project, 'crds'));
  if (names.length === 0) return;
  // A resource is served a moment after its names are accepted.
  for (const name of names.map((one) => one.slice(one.indexOf('/') + 1))) {
    await waitUntil({ what: `${name} is served` }, () => isServed(cluster, name));
  }
}

async function isServed(cluster: ControlPlaneAccess, name: string): Promise<boolean> {
  const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
  const { spec }: Stored = await cluster.request({ method: 'GET', path: definition });
  const path = `/apis/${spec.group}/${spec.versions[0].name}/${spec.names.plural}`;
  try {
    await cluster.request({ method: 'GET', path, query: { limit: 1 } });
    return true;
  } catch (error) {
    if (error instanceof ClusterError) return false;
    throw error;
  }
}

/** Returns the applied objects as kubectl names them. */
async function applyFolder({ kubectlOrThrow }: ControlPlaneAccess, folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => []);
  if (!files.some((file) => file.endsWith('.yaml'))) return [];
  const applied = await kubectlOrThrow(['apply', '--server-side', '--output=name', '--filename', folder]);
  return applied.trim().split('\n');
}
