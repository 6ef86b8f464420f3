/** What a release publishes: the image and the charts, as OCI layouts with their digests, and the files. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { parse } from 'yaml';
import { makeImageLayout } from '../image/image-layout.ts';
import { createLayout, type Descriptor, MEDIA_TYPES } from '../image/oci-layout.ts';
import type { Commit } from '../image/origin.ts';
import { runQuietly } from '../image/run-quietly.ts';

export interface ReleaseParts {
  readonly root: string;
  /** Host and folder of images and charts: `registry.example.com/team`. */
  readonly registry: string;
  readonly commit: Commit;
  /** Whether the notes of the version are needed. */
  readonly withNotes: boolean;
}

/** An image or a chart. */
export interface Published {
  /** `REGISTRY/vexil`. */
  readonly name: string;
  readonly digest: string;
  /** All bytes of the layout. */
  readonly bytes: number;
  /** The folder of the layout. */
  readonly layout: string;
}

export interface Release {
  readonly version: string;
  readonly image: Published;
  readonly charts: readonly Published[];
  /** The images of the platforms, with their bills of materials. */
  readonly platforms: readonly { readonly digest: string; readonly bill: string }[];
  /** The file with the predicate of the provenance. */
  readonly provenance: string;
  /** The folder of the files that are published next to the notes. */
  readonly files: string;
}

const CHARTS = ['vexil', 'vexil-edge'];

/** Makes everything from the output of `npm run build`, in dist. Publishes nothing. */
export async function makeRelease({ root, registry, commit, withNotes }: ReleaseParts): Promise<Release> {
  const { version } = commit.origin;
  const [built, files] = [join(root, 'dist'), join(root, 'dist/release')];
  const imageFolder = join(built, 'image');
  const made = await makeImageLayout(imageFolder, { root, built, cache: join(root, '.cache/image'), ...commit });
  const image = await published(`${registry}/vexil`, made, imageFolder);

  const tag = withNotes ? ['--tag', `v${version}`] : [];
  const script = join(root, 'scripts/package.ts');
  await runQuietly(execPath, [script, ...tag, '--image', `${image.name}@${image.digest}`], { cwd: root });
  const charts = CHARTS.map(async (name) => {
    const folder = join(built, 'charts', name);
    const manifest = await makeChartLayout(folder, join(files, `${name}-${version}.tgz`), name);
    return published(`${registry}/charts/${name}`, manifest, folder);
  });
  const attestations = join(built, 'attestations');
  await mkdir(attestations, { recursive: true });
  const provenance = join(attestations, 'provenance.json');
  await writeFile(provenance, JSON.stringify(made.provenance));
  return {
    version,
    image,
    charts: await Promise.all(charts),
    platforms: await Promise.all(made.manifests.map((one, index) => platformOf(one, made.referrers[index]))),
    provenance,
    files,
  };

  async function platformOf({ digest, platform }: Descriptor, bill: Descriptor | undefined) {
    const file = join(attestations, `sbom-${platform?.architecture}.cdx.json`);
    await writeFile(file, await contentOf(imageFolder, bill?.digest ?? ''));
    return { digest, bill: file };
  }
}

/** The text of the only layer of an artifact. */
async function contentOf(layout: string, digest: string): Promise<string> {
  const read = (of: string) => readFile(join(layout, 'blobs', of.replace(':', '/')), 'utf8');
  return read(JSON.parse(await read(digest)).layers[0].digest);
}

async function published(name: string, { digest }: { digest: string }, layout: string): Promise<Published> {
  const sizes = await runQuietly('find', [join(layout, 'blobs'), '-type', 'f', '-printf', '%s\n']);
  const bytes = sizes.split('\n').reduce((sum, size) => sum + Number(size), 0);
  return { name, digest, bytes, layout };
}

const CONFIG = 'application/vnd.cncf.helm.config.v1+json';
const CONTENT = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

/** Returns the manifest. It has no time, so that the same chart has the same digest. */
async function makeChartLayout(folder: string, archive: string, name: string): Promise<Descriptor> {
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
