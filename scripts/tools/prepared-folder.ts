/** A folder of programs that is prepared once for all later runs on this machine. */
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import type { Say } from './progress.ts';

/** Puts the programs into an empty folder, or throws. */
export type Fill = (folder: string) => Promise<void>;

export interface PreparedFolder {
  /** The folder that holds one folder for each version. */
  readonly cache: string;
  /** The name of the version's folder: `1.36.3-linux-amd64`. */
  readonly version: string;
  /** The names of the required files. */
  readonly programs: readonly string[];
  readonly fill: Fill;
  readonly say: Say;
}

const PARTIAL = '.partial-';

/** Resolves with the path of the folder when it has all its programs. */
export async function prepareFolder(wanted: PreparedFolder): Promise<string> {
  const folder = join(wanted.cache, wanted.version);
  if (!(await isComplete(folder, wanted))) await makeOnce(folder, wanted);
  return folder;
}

/** Returns the names of the programs that are missing or not executable. */
export async function missingIn(folder: string, programs: readonly string[]): Promise<string[]> {
  const checks = programs.map(async (program) => {
    const found = await access(join(folder, program), constants.X_OK).then(
      () => true,
      () => false,
    );
    return found ? [] : [program];
  });
  return (await Promise.all(checks)).flat();
}

async function isComplete(folder: string, { programs }: PreparedFolder): Promise<boolean> {
  return (await missingIn(folder, programs)).length === 0;
}

async function makeOnce(folder: string, wanted: PreparedFolder): Promise<void> {
  await mkdir(wanted.cache, { recursive: true });
  const makeIfStillMissing = async () => {
    if (!(await isComplete(folder, wanted))) await make(folder, wanted);
  };
  const onWait = () => wanted.say('waiting for another process that prepares the programs');
  await withLock(join(wanted.cache, 'lock'), makeIfStillMissing, { onWait });
}

async function make(folder: string, { cache, programs, fill }: PreparedFolder): Promise<void> {
  await removeLeftovers(cache);
  const partial = await mkdtemp(join(cache, PARTIAL));
  try {
    await fill(partial);
    const missing = await missingIn(partial, programs);
    if (missing.length > 0) throw new Error(`no program ${missing.join(', ')} came out of preparing ${folder}`);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Removes the files of a killed process. No other process writes here while this one holds the lock. */
async function removeLeftovers(cache: string): Promise<void> {
  const leftovers = (await readdir(cache)).filter((name) => name.startsWith(PARTIAL));
  await Promise.all(leftovers.map((name) => rm(join(cache, name), { recursive: true, force: true })));
}
