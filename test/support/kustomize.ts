/** The kustomizations below config, and those that docs/kustomize.md shows. */
import { appendFile, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ControlPlaneAccess } from './control-plane/access.ts';
import type { Stored } from './stored.ts';
import { manifestsIn } from './tools/helm.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(PROJECT, 'docs/kustomize.md');
const OLDER_CLUSTER = join(PROJECT, 'config/components/older-cluster');
const EXAMPLE = /^```yaml\n# (?<file>\S+)\n(?<text>.*?)^```$/gms;

/** The path of a shipped overlay. */
export function overlay(name: 'namespaced' | 'cluster' | 'ha'): string {
  return join(PROJECT, 'config/overlays', name);
}

/** The objects that kubectl makes of a kustomization. */
export async function build(cluster: ControlPlaneAccess, folder: string): Promise<readonly Stored[]> {
  return manifestsIn(await cluster.kubectlOrThrow(['kustomize', folder]));
}

/**
 * Writes the examples of the page into folders as it says, next to this project. Returns the folder of all examples.
 */
export async function layOutExamples(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-kustomize-'));
  await symlink(PROJECT, join(folder, 'vexil'));
  for (const { groups } of (await readFile(PAGE, 'utf8')).matchAll(EXAMPLE)) {
    const path = join(folder, groups?.['file'] ?? '');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, groups?.['text'] ?? '');
  }
  return folder;
}

/** Adds the component for older clusters to the example that the others use as their base. */
export async function useOlderCluster(examples: string): Promise<void> {
  const folder = join(examples, 'operator');
  await appendFile(join(folder, 'kustomization.yaml'), componentsOf(folder));
}

/** Returns a folder with the kustomization and the component for older clusters. */
export async function forOlderCluster(examples: string, kustomization: string): Promise<string> {
  const folder = join(examples, `older-${basename(kustomization)}`);
  await mkdir(folder, { recursive: true });
  const resources = `resources: ['${relative(folder, kustomization)}']\n`;
  await writeFile(join(folder, 'kustomization.yaml'), resources + componentsOf(folder));
  return folder;
}

const componentsOf = (folder: string) => `components: ['${relative(folder, OLDER_CLUSTER)}']\n`;
