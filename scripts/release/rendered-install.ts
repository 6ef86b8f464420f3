/** Renders the installation as one file for `kubectl apply`, from the overlay of config. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pid } from 'node:process';
import { writeYaml } from '../../src/model/yaml/yaml.ts';
import { runQuietly } from '../image/run-quietly.ts';
import { projectBinaries } from '../tools/control-plane/project-binaries.ts';

/** The files, and the component that older clusters need. */
export const RENDERED_INSTALLS = {
  'install.yaml': [],
  'install-kubernetes-1.33.yaml': ['older-cluster'],
} as const;

export type RenderedInstall = keyof typeof RENDERED_INSTALLS;

/** `image` is `NAME@sha256:…`; without it, the file names the image that `make image` makes. */
export async function renderInstall(root: string, name: RenderedInstall, image?: string): Promise<string> {
  const { kubectl } = await projectBinaries();
  // kustomize refuses absolute paths.
  const folder = join(root, 'dist', `.rendered-${pid}`);
  const [newName, digest] = image?.split('@') ?? [];
  const overlay = {
    resources: ['../../config/overlays/namespaced'],
    components: RENDERED_INSTALLS[name].map((component) => `../../config/components/${component}`),
    ...(image !== undefined && { images: [{ name: 'vexil', newName, digest }] }),
  };
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(join(folder, 'kustomization.yaml'), writeYaml(overlay));
    return await runQuietly(kubectl, ['kustomize', folder]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
