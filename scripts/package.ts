/**
 * Makes what a release publishes in addition to the image, in dist/release: the command line, the charts, the
 * installation as one file, the bill of materials, checksums and the notes. Needs tar, and the output of
 * `npm run build`. Arguments: `--tag vVERSION`, to check it; `--image NAME@sha256:…`, the published image, for charts
 * and installation; `--from` and `--to`, the folders of the build and of the packages.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { nameImage } from './chart/name-image.ts';
import { OLM_BEFORE, olmBundle } from './release/olm-bundle.ts';
import { RENDERED_INSTALLS, type RenderedInstall, renderInstall } from './release/rendered-install.ts';
import { releaseNotes } from './release-notes.ts';
import { projectTools } from './tools/project-tools.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = manifest;

const {
  tag,
  image,
  from: built,
  to,
} = parseArgs({
  options: {
    tag: { type: 'string' },
    image: { type: 'string' },
    from: { type: 'string', default: join(root, 'dist') },
    to: { type: 'string', default: join(root, 'dist/release') },
  },
}).values;
if (tag !== undefined && tag !== `v${version}`)
  throw new Error(`the tag is ${tag}, and package.json has version ${version}: tag a release v${version}`);
const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
// Without a tag this is no release, so the section may still be open.
const notes = tag === undefined ? undefined : releaseNotes(changelog, version);

await rm(to, { recursive: true, force: true });
await mkdir(to, { recursive: true });
const charts = [await packChart('vexil'), await packChart('vexil-edge')];
const installs = Object.keys(RENDERED_INSTALLS) as RenderedInstall[];
for (const name of installs) await writeFile(join(to, name), await renderInstall(root, name, imageByDigest()));
const files = [await packCommandLine(), ...charts, ...installs, ...(await packOlmBundle()), 'sbom.cdx.json'];
await copyFile(join(built, 'sbom.cdx.json'), join(to, 'sbom.cdx.json'));
if (notes !== undefined) await writeFile(join(to, 'notes.md'), notes);
const sums = await Promise.all(files.map(async (name) => `${await sha256(join(to, name))}  ${name}\n`));
await writeFile(join(to, 'SHA256SUMS'), sums.join(''));
for (const name of files) stdout.write(`${name}\n`);

/** The name without the tag, which a digest makes needless. */
function imageByDigest(): string | undefined {
  return image?.replace(/:[^:@/]+(?=@)/, '');
}

/** A folder for the PATH: `vexil`, and `kubectl-vexil` for `kubectl vexil`. The same sources give the same bytes. */
async function packCommandLine(): Promise<string> {
  const name = `vexil-cli-${version}`;
  const work = await mkdtemp(join(tmpdir(), 'vexil-package-'));
  try {
    const folder = join(work, name);
    await mkdir(folder);
    for (const one of ['cli.js', 'cli', 'package.json'])
      await cp(join(built, one), join(folder, one), { recursive: true });
    await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    for (const one of ['vexil', 'kubectl-vexil']) await symlink('cli.js', join(folder, one));
    return await pack(work, name);
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Packs a folder of `work`. The same files give the same bytes. */
async function pack(work: string, name: string): Promise<string> {
  const archive = `${name}.tar.gz`;
  const plain = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=go-w'];
  const compress = '--use-compress-program=gzip --no-name';
  await run('tar', [...plain, compress, '-cf', join(to, archive), '-C', work, name]);
  return archive;
}

/** The bundle of the Operator Lifecycle Manager, and what has to be applied before. */
async function packOlmBundle(): Promise<readonly string[]> {
  const work = await mkdtemp(join(tmpdir(), 'vexil-olm-'));
  const name = `vexil-olm-${version}`;
  try {
    const bundle = olmBundle(await readFile(join(to, 'install.yaml'), 'utf8'));
    for (const [path, text] of bundle) {
      const file = path === OLM_BEFORE ? join(to, path) : join(work, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    return [await pack(work, name), OLM_BEFORE];
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Uses the helm that the tests of the charts run, not one from the PATH. */
async function packChart(name: string): Promise<string> {
  const { helm } = await projectTools();
  const work = await mkdtemp(join(tmpdir(), 'vexil-chart-'));
  try {
    const chart = join(work, name);
    await cp(join(root, 'charts', name), chart, { recursive: true });
    if (image !== undefined) await nameImage(chart, image);
    // helm writes the times of the files into the archive.
    for (const path of await readdir(work, { recursive: true })) await utimes(join(work, path), 0, 0);
    await run(helm, ['package', chart, '--destination', to]);
  } finally {
    await rm(work, { recursive: true });
  }
  return `${name}-${version}.tgz`;
}

async function sha256(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
