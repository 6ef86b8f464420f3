/** Names the published image in a copy of the chart. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import { writeYaml } from '../../src/model/yaml/yaml.ts';

const REFERENCE = /^(?<repository>[^@\s]+?)(?::(?<tag>\w[\w.-]{0,127}))?@(?<digest>sha256:[0-9a-f]{64})$/;

/**
 * Writes `NAME@sha256:…` into the values and the annotations of the chart in the folder. Throws for a name without a
 * digest.
 */
export async function nameImage(chart: string, image: string): Promise<void> {
  const { repository, digest } = REFERENCE.exec(image)?.groups ?? {};
  if (repository === undefined) throw new Error(`the image is ${image}: name it by digest, NAME@sha256:…`);
  await edit(join(chart, 'values.yaml'), (values) => {
    values.setIn(['image', 'repository'], repository);
    values.setIn(['image', 'digest'], digest);
  });
  await edit(join(chart, 'Chart.yaml'), (metadata) => {
    const images = writeYaml([{ name: 'vexil', image: `${repository}@${digest}` }]);
    metadata.setIn(['annotations', 'artifacthub.io/images'], images);
  });
}

async function edit(path: string, change: (document: Document) => void): Promise<void> {
  const document = parseDocument(await readFile(path, 'utf8'));
  change(document);
  await writeFile(path, document.toString({ lineWidth: 0 }));
}
