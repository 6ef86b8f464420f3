/** Where the programs of the control plane come from. */
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import type { Say } from './progress.ts';

export interface Binaries {
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubectl: string;
}

/** Puts the three programs into an empty folder, or throws. */
export type Fill = (folder: string) => Promise<void>;

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

const PARTIAL = '.partial-';

/** Finds the programs, or makes them once for all later runs on this machine. */
export async function findBinaries(sources: BinarySources): Promise<Binaries> {
  const assets = sources.environment['KUBEBUILDER_ASSETS'];
  if (assets) {
    const missing = await missingIn(assets);
    if (missing.length > 0) throw new Error(`KUBEBUILDER_ASSETS=${assets} has no program ${missing.join(', ')}`);
    return binariesIn(assets);
  }
  const folder = join(sources.cache, sources.version);
  if (!(await isComplete(folder))) await makeOnce(folder, sources);
  return binariesIn(folder);
}

async function makeOnce(folder: string, sources: BinarySources): Promise<void> {
  await mkdir(sources.cache, { recursive: true });
  const makeIfStillMissing = async () => {
    if (!(await isComplete(folder))) await make(folder, sources);
  };
  const onWait = () => sources.say('waiting for another process that prepares the programs');
  await withLock(join(sources.cache, 'lock'), makeIfStillMissing, { onWait });
}

async function make(folder: string, sources: BinarySources): Promise<void> {
  await removeLeftovers(sources.cache);
  const partial = await mkdtemp(join(sources.cache, PARTIAL));
  try {
    await fill(partial, sources);
    const missing = await missingIn(partial);
    if (missing.length > 0) throw new Error(`no program ${missing.join(', ')} came out of preparing the control plane`);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function fill(folder: string, { environment, download, build, say }: BinarySources): Promise<void> {
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

/** What a process that was killed in the middle has left; nobody else writes here while we hold the lock. */
async function removeLeftovers(cache: string): Promise<void> {
  const leftovers = (await readdir(cache)).filter((name) => name.startsWith(PARTIAL));
  await Promise.all(leftovers.map((name) => rm(join(cache, name), { recursive: true, force: true })));
}

function binariesIn(folder: string): Binaries {
  return {
    etcd: join(folder, 'etcd'),
    kubeApiserver: join(folder, 'kube-apiserver'),
    kubectl: join(folder, 'kubectl'),
  };
}

async function isComplete(folder: string): Promise<boolean> {
  return (await missingIn(folder)).length === 0;
}

async function missingIn(folder: string): Promise<string[]> {
  const checks = Object.values(binariesIn(folder)).map(async (program) => {
    const found = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    return found ? [] : [program.slice(folder.length + 1)];
  });
  return (await Promise.all(checks)).flat();
}

/** One line, with the cause that `fetch` hides behind "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`.replaceAll(/\s+/g, ' ');
}
