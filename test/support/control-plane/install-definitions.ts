/** Installs the resource definitions of the project in a cluster. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ControlPlaneAccess } from './access.ts';
import { waitUntil } from './wait-until.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

/** Applies crds/, if it has files; answers when all definitions are served. */
export async function installDefinitions(cluster: ControlPlaneAccess, project: string = PROJECT): Promise<void> {
  const names = await applyFolder(cluster, join(project, 'crds'));
  if (names.length === 0) return;
  await cluster.kubectlOrThrow(['wait', '--for=condition=Established', '--timeout=60s', ...names]);
  for (const name of names) {
    // Established says that the names are accepted; the resource answers a moment later.
    await waitUntil({ what: `${name} is served`, timeoutMs: 60_000 }, async () => {
      const resource = name.slice(name.indexOf('/') + 1);
      const { code } = await cluster.kubectl(['get', resource, '--all-namespaces']);
      return code === 0;
    });
  }
}

/** Answers the applied objects as kubectl names them. */
async function applyFolder({ kubectlOrThrow }: ControlPlaneAccess, folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => []);
  if (!files.some((file) => file.endsWith('.yaml'))) return [];
  const applied = await kubectlOrThrow(['apply', '--server-side', '--output=name', '--filename', folder]);
  return applied.trim().split('\n');
}
