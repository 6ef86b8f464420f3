/** Where the programs of the control plane come from. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fill, missingIn, prepareFolder } from '../prepared-folder.ts';
import type { Say } from '../progress.ts';

export interface Binaries {
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubectl: string;
}

export interface BinarySources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that holds one folder for each version. */
  readonly cache: string;
  /** The name of the version's folder: `1.36.3-linux-amd64`. */
  readonly version: string;
  readonly download: Fill;
  readonly build: Fill;
  readonly say: Say;
}

const PROGRAMS = ['etcd', 'kube-apiserver', 'kubectl'];

/** Finds the programs, or prepares them once for all later runs on this machine. */
export async function findBinaries(sources: BinarySources): Promise<Binaries> {
  const { environment, cache, version, say } = sources;
  const assets = environment['KUBEBUILDER_ASSETS'];
  if (assets) {
    const missing = await missingIn(assets, PROGRAMS);
    if (missing.length > 0) throw new Error(`KUBEBUILDER_ASSETS=${assets} has no program ${missing.join(', ')}`);
    return binariesIn(assets);
  }
  const fill: Fill = (folder) => fillFrom(sources, folder);
  return binariesIn(await prepareFolder({ cache, version, programs: PROGRAMS, fill, say }));
}

async function fillFrom({ environment, download, build, say }: BinarySources, folder: string): Promise<void> {
  if (environment['VEXIL_CONTROL_PLANE'] === 'build') return build(folder);
  try {
    await download(folder);
  } catch (error) {
    say(`no download (${reasonOf(error)}), so it is built from source`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    await build(folder);
  }
}

function binariesIn(folder: string): Binaries {
  return {
    etcd: join(folder, 'etcd'),
    kubeApiserver: join(folder, 'kube-apiserver'),
    kubectl: join(folder, 'kubectl'),
  };
}

/** Returns one line, with the cause that `fetch` hides behind "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`.replaceAll(/\s+/g, ' ');
}
