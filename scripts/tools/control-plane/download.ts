/** Fetches the bundle of programs that kubebuilder's envtest uses. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'yaml';
import { compareVersions } from '../pins.ts';
import type { Platform } from '../platform.ts';
import { narrate, type Say } from '../progress.ts';
import { runProgram } from '../run-program.ts';

/** Lists all bundles with their addresses, each with its SHA-512. */
export const ENVTEST_INDEX =
  'https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml';

/** A connection that is silent for this time is given up. */
const SILENCE_MS = 20_000;

export interface DownloadOptions {
  readonly index: string;
  /** The version of Kubernetes, without `v`. */
  readonly version: string;
  readonly platform: Platform;
  readonly say: Say;
}

interface Bundle {
  readonly hash: string;
  readonly selfLink: string;
}

interface Index {
  readonly releases?: Readonly<Record<string, Readonly<Record<string, Bundle>>>>;
}

/** Downloads the bundle, compares its checksum with the index, and unpacks its programs into the folder. */
export async function downloadBundle(folder: string, options: DownloadOptions): Promise<void> {
  const { hash, selfLink } = await bundleFor(options);
  const archive = join(folder, 'bundle.tar.gz');
  const found = await narrate({ say: options.say, what: `downloading ${selfLink}` }, () => download(selfLink, archive));
  if (found !== hash) throw new Error(`${selfLink} has the SHA-512 ${found}, the index says ${hash}`);
  // The programs are in controller-tools/envtest/ of the archive.
  const { code, stderr } = await runProgram('tar', ['-xzf', archive, '-C', folder, '--strip-components=2']);
  if (code !== 0) throw new Error(`${selfLink} cannot be unpacked: ${stderr}`);
  await rm(archive);
}

async function bundleFor({ index, version, platform, say }: DownloadOptions): Promise<Bundle> {
  const answer = await request(index, AbortSignal.timeout(SILENCE_MS));
  const { releases = {} }: Index = parse(await answer.text()) ?? {};
  const published = closestTo(version, Object.keys(releases));
  const bundle = published && releases[published]?.[`envtest-${published}-${platform.os}-${platform.arch}.tar.gz`];
  if (!bundle) throw new Error(`${index} has no envtest-v${version}-${platform.os}-${platform.arch}.tar.gz`);
  if (published !== `v${version}`) say(`v${version} has no bundle, ${published} is the closest one`);
  return bundle;
}

/** Not every patch release has a bundle: the newest patch of the same minor release replaces a missing one. */
function closestTo(version: string, published: readonly string[]): string | undefined {
  if (published.includes(`v${version}`)) return `v${version}`;
  const minor = `v${version.slice(0, version.lastIndexOf('.'))}.`;
  return published
    .filter((name) => /^v[\d.]+$/.test(name) && name.startsWith(minor))
    .toSorted(compareVersions)
    .at(-1);
}

/** Returns the SHA-512 of the downloaded file. */
async function download(address: string, file: string): Promise<string> {
  const silence = new AbortController();
  const alarm = setTimeout(() => silence.abort(new Error(`${address}: silent for ${SILENCE_MS} ms`)), SILENCE_MS);
  try {
    const answer = await request(address, silence.signal);
    if (answer.body === null) throw new Error(`${address} answered without a body`);
    const hash = createHash('sha512');
    const listen = new Transform({
      transform(chunk: Buffer, _encoding, pass) {
        alarm.refresh();
        hash.update(chunk);
        pass(null, chunk);
      },
    });
    await pipeline(Readable.fromWeb(answer.body), listen, createWriteStream(file));
    return hash.digest('hex');
  } finally {
    clearTimeout(alarm);
  }
}

async function request(address: string, signal: AbortSignal): Promise<Response> {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  return answer;
}
