/** Makes a packaged chart an OCI artifact, as `helm push` does, in a layout. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createLayout, type Descriptor, MEDIA_TYPES } from '../image/oci-layout.ts';
import { runQuietly } from '../image/run-quietly.ts';

const CONFIG = 'application/vnd.cncf.helm.config.v1+json';
const CONTENT = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

/** Returns the manifest. It has no time, so that the same chart has the same digest. */
export async function makeChartLayout(folder: string, archive: string, name: string): Promise<Descriptor> {
  const metadata = parse(await runQuietly('tar', ['-xzOf', archive, `${name}/Chart.yaml`]));
  const layout = await createLayout(folder);
  const copy = join(folder, 'chart.tgz');
  await copyFile(archive, copy);
  const manifest = await layout.putJson(MEDIA_TYPES.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    config: await layout.putJson(CONFIG, metadata),
    layers: [await layout.putFile(CONTENT, copy)],
    annotations: {
      'org.opencontainers.image.title': metadata.name,
      'org.opencontainers.image.version': metadata.version,
      'org.opencontainers.image.description': metadata.description,
    },
  });
  await layout.finish([{ ...manifest, annotations: { 'org.opencontainers.image.ref.name': metadata.version } }]);
  return manifest;
}
