/** Tries the known defects: `node test/simulation/try-mutations.ts`. A seed of `make test` must find each. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mutations } from './mutations.ts';

const root = resolve(import.meta.dirname, '../..');
/** Inside the project, so that its packages are found. */
const place = join(root, '.cache/mutations');

for (const { what, file, line, becomes } of mutations) {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  for (const part of ['src', 'test', 'package.json']) cpSync(join(root, part), join(place, part), { recursive: true });
  const source = readFileSync(join(place, file), 'utf8');
  if (source.split(line).length !== 2) throw new Error(`${file} does not have this line once: ${line}`);
  writeFileSync(
    join(place, file),
    source.replace(line, () => becomes),
  );
  const run = ['test/simulation/main.ts', '--count', '320', '--no-shrink'];
  const { status, stdout } = spawnSync(process.execPath, run, { cwd: place });
  const [, seed = '?'] = /^seed (\d+) fails/m.exec(`${stdout}`) ?? [];
  process.stdout.write(`${status === 1 ? `found by seed ${seed}` : 'NOT FOUND'}: ${what}\n`);
  if (status !== 1) process.exitCode = 1;
}
rmSync(place, { recursive: true, force: true });
