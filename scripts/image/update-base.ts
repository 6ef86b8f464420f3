/** `make image-base`: pins the present versions of the Debian packages of the image. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { BASE_PACKAGES, presentPackages } from './debian-packages.ts';

const root = join(import.meta.dirname, '../..');
const present = await presentPackages(join(root, '.cache/image/debian'));
for (const [index, { name, version }] of present.entries()) {
  const before = BASE_PACKAGES[index]?.version;
  stdout.write(before === version ? `${name} ${version}\n` : `${name} ${before} -> ${version}\n`);
}
await writeFile(join(import.meta.dirname, 'base-packages.json'), `${JSON.stringify(present, null, 2)}\n`);
