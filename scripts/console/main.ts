/**
 * Builds the console in the folder where an operator that runs from its sources finds it, unless it is there already.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleConsole } from './bundle-console.ts';

const root = join(import.meta.dirname, '../..');
const cache = join(root, '.cache');
const target = join(cache, 'console');
const RECORD = 'sources.sha256';

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const files = await readdir(join(root, 'console'), { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const others = ['package-lock.json', 'scripts/console/bundle-console.ts'].map((path) => join(root, path));
  for (const path of [...paths.toSorted(), ...others]) hash.update(`${path}\n`).update(await readFile(path));
  return hash.digest('hex');
}

/** Several processes may build at the same time, so each has its own folder until its build is complete. */
async function replaceTarget(hash: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'console-'));
  try {
    await bundleConsole(folder);
    await writeFile(join(folder, RECORD), hash);
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if ((await recordedHash()) !== hash) throw error;
  }
}

function recordedHash(): Promise<string> {
  return readFile(join(target, RECORD), 'utf8').catch(() => '');
}

const hash = await hashOfSources();
if ((await recordedHash()) !== hash) await replaceTarget(hash);
