/** Makes the image as an OCI layout without a container engine: for amd64 and arm64, with its attestations. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeBaseRoot } from './base-root.ts';
import { basePackages } from './debian-packages.ts';
import { nodeProgram } from './node-program.ts';
import { createLayout, type Descriptor, MEDIA_TYPES, type OciLayout } from './oci-layout.ts';
import { IMAGE_PLATFORMS, type ImagePlatform } from './platforms.ts';
import { type ImagePlan, readDockerfile } from './read-dockerfile.ts';
import { runQuietly } from './run-quietly.ts';
import * as statements from './statements.ts';

export interface ImageSources {
  /** The folder of the project, with the Dockerfile. */
  readonly root: string;
  /** The output of `npm run build`. */
  readonly built: string;
  /** The folder for what is downloaded. */
  readonly cache: string;
  readonly origin: statements.Origin;
  /** The time of the commit in seconds: the image claims to be made then. */
  readonly epoch: number;
}

export interface MadeImage {
  /** The digest of the index, which names the images of all platforms. */
  readonly digest: string;
  readonly manifests: readonly Descriptor[];
  readonly referrers: readonly Descriptor[];
  /** The predicate of the provenance, for programs that sign it. */
  readonly provenance: object;
}

/** Writes the layout into the folder. The image has the tag `version` there. */
export async function makeImageLayout(folder: string, sources: ImageSources): Promise<MadeImage> {
  const { version } = sources.origin;
  const layout = await createLayout(folder);
  const dockerfile = await readFile(join(sources.root, 'Dockerfile'), 'utf8');
  const plan = readDockerfile(dockerfile, { VERSION: version, REVISION: sources.origin.revision });
  const images = [];
  for (const platform of IMAGE_PLATFORMS) images.push(await makeImage(layout, { ...sources, plan, platform }));
  const manifests = images.map(({ manifest }) => manifest);
  const index = await layout.putJson(MEDIA_TYPES.index, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.index,
    manifests,
  });
  const parts = images.map(({ parts: one }) => one);
  const predicate = statements.provenanceOf(sources.origin, parts);
  const provenance = await layout.putArtifact({
    subject: index,
    type: statements.STATEMENT_TYPE,
    content: statements.provenanceStatement('vexil', index, predicate),
    title: 'provenance.json',
  });
  const referrers = [...images.map(({ bill }) => bill), provenance];
  const names = {
    'org.opencontainers.image.ref.name': version,
    // containerd and Docker load the image under this name, which is that of the chart.
    'io.containerd.image.name': `docker.io/library/vexil:${version}`,
  };
  await layout.finish([{ ...index, annotations: names }, ...referrers]);
  return { digest: index.digest, manifests, referrers, provenance: predicate };
}

interface PlatformSources extends ImageSources {
  readonly plan: ImagePlan;
  readonly platform: ImagePlatform;
}

interface PlatformImage {
  readonly manifest: Descriptor;
  readonly bill: Descriptor;
  readonly parts: statements.ImageParts;
}

async function makeImage(layout: OciLayout, sources: PlatformSources): Promise<PlatformImage> {
  const { platform, built, cache } = sources;
  const packages = await basePackages(platform, join(cache, 'debian'));
  const parts = { platform, packages, node: await nodeProgram(platform, join(cache, 'node')) };
  const layers = await makeLayers(layout, sources, parts);
  const config = await layout.putJson(MEDIA_TYPES.config, configOf(sources, layers));
  const plain = await layout.putJson(MEDIA_TYPES.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    config,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  const manifest = { ...plain, platform: { os: 'linux', architecture: platform } };
  const bill = await layout.putArtifact({
    subject: manifest,
    type: statements.BILL_TYPE,
    content: statements.billOfImage(await readFile(join(built, 'sbom.cdx.json'), 'utf8'), parts),
    title: 'sbom.cdx.json',
  });
  return { manifest, bill, parts };
}

/** The base, and one layer for each file or folder that the Dockerfile copies. */
async function makeLayers(
  layout: OciLayout,
  { plan, built }: PlatformSources,
  { packages, node }: statements.ImageParts,
): Promise<readonly Layer[]> {
  const work = await mkdtemp(join(tmpdir(), 'vexil-image-'));
  try {
    const base = join(work, 'base');
    await mkdir(base);
    await makeBaseRoot(base, packages);
    const layers = [await putLayer(layout, { folder: base, from: 'packages of Debian 12' })];
    for (const [index, { source, target }] of plan.files.entries()) {
      const folder = join(work, `${index}`);
      await mkdir(join(folder, dirname(target)), { recursive: true });
      if (source === NODE) await copyFile(node.file, join(folder, target));
      else if (source === 'dist') await copyBuild(built, join(folder, target));
      else throw new Error(`the Dockerfile copies ${source}: only ${NODE} and dist can be copied`);
      const options = [`--mode=${source === NODE ? 'a=rx,u+w' : 'u=rwX,go=rX'}`];
      layers.push(await putLayer(layout, { folder, from: `COPY ${source} ${target}`, options }));
    }
    return layers;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const NODE = 'node_modules/.bin/node';
/** What other steps write into the folder of the build. */
const NOT_OF_THE_BUILD = new Set(['release', 'site', 'image', 'charts', 'attestations']);

/** Copies what `npm run build` writes, and nothing that other steps put next to it. */
function copyBuild(built: string, target: string): Promise<void> {
  const isPart = (path: string) => dirname(path) !== built || !NOT_OF_THE_BUILD.has(path.slice(built.length + 1));
  return cp(built, target, { recursive: true, filter: isPart });
}

function configOf({ plan, platform, epoch }: PlatformSources, layers: readonly Layer[]): object {
  const created = new Date(epoch * 1_000).toISOString().replace('.000Z', 'Z');
  return {
    created,
    architecture: platform,
    os: 'linux',
    config: {
      User: plan.user,
      ExposedPorts: Object.fromEntries(plan.ports.map((port) => [`${port}/tcp`, {}])),
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...plan.environment],
      Entrypoint: plan.entrypoint,
      Cmd: plan.command,
      WorkingDir: plan.workdir,
      Labels: Object.fromEntries(plan.labels.map((label) => label.split(/=(.*)/s).slice(0, 2))),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ from }) => ({ created, created_by: from })),
  };
}

interface Layer {
  readonly descriptor: Descriptor;
  /** The digest of the archive before it is compressed. */
  readonly diffId: string;
  /** What the layer has, for `docker history`. */
  readonly from: string;
}

interface LayerFolder {
  readonly folder: string;
  readonly from: string;
  /** Additional options of tar, such as modes. */
  readonly options?: readonly string[];
}

/** Owner, times and order do not depend on the machine. */
const PLAIN = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];

async function putLayer(layout: OciLayout, { folder, from, options = [] }: LayerFolder): Promise<Layer> {
  const archive = `${folder}.tar`;
  await runQuietly('tar', [...PLAIN, ...options, '-cf', archive, '-C', folder, '.']);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  await runQuietly('gzip', ['--no-name', '--force', archive]);
  const descriptor = await layout.putFile(MEDIA_TYPES.layer, `${archive}.gz`);
  return { descriptor, diffId: `sha256:${hash.digest('hex')}`, from };
}
