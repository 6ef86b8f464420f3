/** Reads an OCI layout as registries and engines do. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Descriptor } from '../../../scripts/image/oci-layout.ts';
import { runQuietly } from '../../../scripts/image/run-quietly.ts';
import type { Stored } from '../stored.ts';

export interface LayoutReader {
  readonly manifests: readonly Descriptor[];
  /** The manifest of the image of a platform. */
  imageOf(architecture: string): Promise<Descriptor>;
  /** The JSON with this digest. */
  json(digest: string): Promise<Stored>;
  /** Unpacks the layers of the image of a platform into a folder. */
  unpack(architecture: string, folder: string): Promise<void>;
}

export async function readLayout(folder: string): Promise<LayoutReader> {
  const blob = (digest: string) => join(folder, 'blobs', digest.replace(':', '/'));
  const json: LayoutReader['json'] = async (digest) => JSON.parse(await readFile(blob(digest), 'utf8'));
  const { manifests } = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8'));
  const imageOf: LayoutReader['imageOf'] = async (architecture) => {
    const { manifests: images } = await json(manifests[0].digest);
    return images.find(({ platform }: Descriptor) => platform?.architecture === architecture);
  };
  return {
    manifests,
    imageOf,
    json,
    async unpack(architecture, target) {
      const { layers } = await json((await imageOf(architecture)).digest);
      for (const { digest } of layers) await runQuietly('tar', ['-xzf', blob(digest), '-C', target]);
    },
  };
}
