/** Clones of the project, as a stranger gets them. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runQuietly } from '../../../scripts/image/run-quietly.ts';
import { type Finished, runProgram } from '../../../scripts/tools/run-program.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

export interface FreshClone {
  readonly folder: string;
  make(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Finished>;
  remove(): Promise<void>;
}

/** Clones the commit. Packages are links to those of this project, and downloads are shared. */
export async function freshClone(): Promise<FreshClone> {
  const clones = join(PROJECT, '.cache/clones');
  await mkdir(clones, { recursive: true });
  const folder = await mkdtemp(join(clones, 'clone-'));
  await runQuietly('git', ['clone', '--quiet', PROJECT, folder]);
  await runQuietly('cp', ['-al', join(PROJECT, 'node_modules'), folder]);
  await mkdir(join(PROJECT, '.cache/image'), { recursive: true });
  await mkdir(join(folder, '.cache'));
  await runQuietly('ln', ['-s', join(PROJECT, '.cache/image'), join(folder, '.cache/image')]);
  // Its time says that the packages are those of the lockfile.
  await runQuietly('touch', [join(folder, 'node_modules/.package-lock.json')]);
  return {
    folder,
    // `make soak` would make this one name its folder at the end.
    make: (args, environment = {}) =>
      runProgram('make', ['--no-print-directory', ...args], { cwd: folder, environment }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
