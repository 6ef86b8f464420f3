/**
 * The Debian packages of the image's base, pinned by hash in base-packages.json and fetched with apt-get. The sources
 * are those of this machine, or the lines of a sources.list in the environment variable DEBIAN_SOURCES.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'node:process';
import locked from './base-packages.json' with { type: 'json' };
import type { ImagePlatform } from './platforms.ts';
import { runQuietly } from './run-quietly.ts';

export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: Readonly<Record<ImagePlatform, string>>;
}

export const BASE_PACKAGES: readonly LockedPackage[] = locked;

export interface FetchedPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  /** The path of the `.deb`. */
  readonly file: string;
}

/** Returns the packages of the lock for a platform. Asks no server for those that are in the folder. */
export async function basePackages(platform: ImagePlatform, cache: string): Promise<readonly FetchedPackage[]> {
  await mkdir(cache, { recursive: true });
  const wanted = BASE_PACKAGES.map(({ name, version, sha256 }) => {
    const hash = sha256[platform];
    return { name, version, sha256: hash, file: join(cache, `${hash}.deb`) };
  });
  const missing = wanted.filter(({ file }) => !existsSync(file));
  if (missing.length > 0) await withApt(platform, cache, (apt) => download(missing, apt));
  return wanted;
}

/** Returns the present versions of the packages, as the sources describe them. */
export async function presentPackages(cache: string): Promise<readonly LockedPackage[]> {
  await mkdir(cache, { recursive: true });
  const names = BASE_PACKAGES.map(({ name }) => name);
  const list = (platform: ImagePlatform) =>
    withApt(platform, cache, ({ run }) => run('download', '--print-uris', ...names));
  const [amd64, arm64] = [presentIn(await list('amd64')), presentIn(await list('arm64'))];
  return names.map((name) => {
    const [one, other] = [amd64.get(name), arm64.get(name)];
    if (one === undefined || other === undefined) throw new Error(`the sources of apt have no package ${name}`);
    if (one.version !== other.version)
      throw new Error(`${name} is ${one.version} on amd64 and ${other.version} on arm64: try again later`);
    return { name, version: one.version, sha256: { amd64: one.sha256, arm64: other.sha256 } };
  });
}

/** Lines of `apt-get download --print-uris`: `'URL' NAME_VERSION_ARCH.deb SIZE SHA256:HASH`. */
function presentIn(output: string): ReadonlyMap<string, { readonly version: string; readonly sha256: string }> {
  const lines = output.matchAll(/^'[^']*' ([^_\s]+)_([^_\s]+)_\S+ \d+ SHA256:([0-9a-f]{64})$/gm);
  return new Map(
    [...lines].map(([, name = '', version = '', sha256 = '']) => [
      name,
      { version: decodeURIComponent(version), sha256 },
    ]),
  );
}

interface Apt {
  /** A folder that receives what is downloaded. */
  readonly folder: string;
  run(...args: readonly string[]): Promise<string>;
}

/** Runs apt-get with files of its own: it neither reads nor writes the state of the machine. */
async function withApt<T>(platform: ImagePlatform, cache: string, use: (apt: Apt) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(cache, '.apt-'));
  try {
    for (const path of ['state/lists/partial', 'cache/archives/partial'])
      await mkdir(join(folder, path), { recursive: true });
    await writeFile(join(folder, 'status'), '');
    await writeFile(join(folder, 'apt.conf'), await configurationOf(platform, folder));
    const environment = { APT_CONFIG: join(folder, 'apt.conf'), LC_ALL: 'C' };
    const run: Apt['run'] = (...args) => runQuietly('apt-get', args, { cwd: folder, environment });
    await run('update');
    return await use({ folder, run });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function configurationOf(platform: ImagePlatform, folder: string): Promise<string> {
  const sources = env['DEBIAN_SOURCES'];
  if (sources) await writeFile(join(folder, 'sources.list'), `${sources}\n`);
  const own = [`Dir::Etc::SourceList "${folder}/sources.list";`, 'Dir::Etc::SourceParts "/dev/null";'];
  return [
    `Dir::State "${folder}/state";`,
    `Dir::State::status "${folder}/status";`,
    `Dir::Cache "${folder}/cache";`,
    `APT::Architecture "${platform}";`,
    `APT::Architectures { "${platform}"; };`,
    'APT::Sandbox::User "root";',
    'Acquire::Languages "none";',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";',
    ...(sources ? own : []),
    '',
  ].join('\n');
}

async function download(missing: readonly FetchedPackage[], { folder, run }: Apt): Promise<void> {
  await run('download', ...missing.map(({ name, version }) => `${name}=${version}`)).catch((cause: Error) => {
    throw new Error(
      `The sources of apt lack packages of scripts/image/base-packages.json. Run "make image-base" to pin the present ones, or name sources that keep old versions in DEBIAN_SOURCES. ${cause.message}`,
      { cause },
    );
  });
  for (const name of (await readdir(folder)).filter((one) => one.endsWith('.deb'))) {
    const path = join(folder, name);
    const hash = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    const expected = missing.find(({ sha256 }) => sha256 === hash);
    if (expected === undefined)
      throw new Error(`${name} has the SHA-256 ${hash}, which scripts/image/base-packages.json does not name`);
    await rename(path, expected.file);
  }
  const absent = missing.filter(({ file }) => !existsSync(file)).map(({ name }) => name);
  if (absent.length > 0) throw new Error(`apt did not download ${absent.join(', ')}`);
}
