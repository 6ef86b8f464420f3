/** The versions of Kubernetes that a control plane can have. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareVersions, type Pins, readPins } from '../pins.ts';

/** The folder that pins the newest version, and etcd for all versions. */
export const NEWEST = fileURLToPath(new URL('../../../test/controlplane', import.meta.url));
/** The folder with a subfolder for each older minor version. */
const OLDER = join(NEWEST, 'older');

export interface KubernetesVersion {
  /** `1.33` */
  readonly minor: string;
  /** The folder of go.mod. */
  readonly modules: string;
  readonly pins: Pins;
}

/** Returns the versions, the oldest first. */
export async function kubernetesVersions(): Promise<readonly KubernetesVersion[]> {
  const folders = [NEWEST, ...(await readdir(OLDER)).map((name) => join(OLDER, name))];
  const found = await Promise.all(folders.map(versionIn));
  return found.toSorted((a, b) => compareVersions(a.minor, b.minor));
}

async function versionIn(modules: string): Promise<KubernetesVersion> {
  const pins = readPins(await readFile(join(modules, 'go.mod'), 'utf8'));
  return { minor: pins.kubernetes.split('.').slice(0, 2).join('.'), modules, pins };
}

/** Finds a minor version such as `1.33`. If undefined or empty, it is the newest. */
export async function kubernetesVersion(wanted: string | undefined): Promise<KubernetesVersion> {
  if (!wanted) return versionIn(NEWEST);
  const all = await kubernetesVersions();
  const found = all.find(({ minor }) => minor === wanted);
  if (found === undefined) {
    throw new Error(`VEXIL_KUBERNETES=${wanted}: must be one of ${all.map(({ minor }) => minor).join(', ')}`);
  }
  return found;
}
