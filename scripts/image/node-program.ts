/** The Node.js of a platform, from the npm package whose hash is in package-lock.json. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import lockfile from '../../package-lock.json' with { type: 'json' };
import { type ImagePlatform, NODE_PACKAGES } from './platforms.ts';
import { runQuietly } from './run-quietly.ts';

export interface NodeProgram {
  /** The path of the program. */
  readonly file: string;
  /** The npm package that it comes from. */
  readonly name: string;
  readonly version: string;
  /** SHA-512 of the package, as `sha512-BASE64`. */
  readonly integrity: string;
}

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
}

/** Asks no server if the folder has the program. */
export async function nodeProgram(platform: ImagePlatform, cache: string): Promise<NodeProgram> {
  const name = NODE_PACKAGES[platform];
  const packages: Readonly<Record<string, Locked>> = lockfile.packages;
  const { version = '', integrity = '' } = packages[`node_modules/${name}`] ?? {};
  const hash = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  const file = join(cache, `${hash}-node`);
  if (!existsSync(file)) await fetchProgram(`${name}@${version}`, integrity, file);
  return { file, name, version, integrity };
}

async function fetchProgram(wanted: string, integrity: string, file: string): Promise<void> {
  const cache = join(file, '..');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, '.npm-'));
  try {
    // npm prints the name of the archive. Its hash is compared here, because npm does not read the lockfile for this.
    const archive = (await runQuietly('npm', ['pack', '--silent', wanted], { cwd: folder })).trim();
    const content = await readFile(join(folder, archive));
    const found = `sha512-${createHash('sha512').update(content).digest('base64')}`;
    if (found !== integrity) throw new Error(`${wanted} has the hash ${found}, and package-lock.json has ${integrity}`);
    await runQuietly('tar', ['-xzf', archive, 'package/bin/node'], { cwd: folder });
    await rename(join(folder, 'package/bin/node'), file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
