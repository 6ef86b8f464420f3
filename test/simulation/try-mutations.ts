/**
 * Tries the known defects, or those whose description contains a text: `node test/simulation/try-mutations.ts [TEXT]`.
 * A seed of `make test` must find each.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { type Mutation, mutations } from './mutations.ts';

const root = resolve(import.meta.dirname, '../..');
/** Inside the project, so that its packages are found. */
const places = join(root, '.cache/mutations');

async function tryMutation(place: string, { what, file, line, becomes }: Mutation): Promise<void> {
  const original = readFileSync(join(root, file), 'utf8');
  if (original.split(line).length !== 2) throw new Error(`${file} does not have this line once: ${line}`);
  writeFileSync(
    join(place, file),
    original.replace(line, () => becomes),
  );
  const run = [join(place, 'test/simulation/main.ts'), '--count', '320', '--no-shrink'];
  const { stdout } = await runProgram(process.execPath, run, { endsWithUs: true });
  writeFileSync(join(place, file), original);
  const found = /^seed \d+ fails/m.exec(stdout);
  process.stdout.write(`${found?.[0] ?? 'NOT FOUND'}: ${what}\n`);
  if (!found) process.exitCode = 1;
}

/** Tries mutations of the list in a copy of the project, until none is left. */
async function tryInCopy(place: string, left: ArrayIterator<Mutation>): Promise<void> {
  mkdirSync(place, { recursive: true });
  for (const part of ['src', 'test', 'package.json']) cpSync(join(root, part), join(place, part), { recursive: true });
  for (const mutation of left) await tryMutation(place, mutation);
}

rmSync(places, { recursive: true, force: true });
const text = process.argv[2] ?? '';
const left = mutations.filter(({ what }) => what.includes(text)).values();
await Promise.all(
  Array.from({ length: Math.min(2, availableParallelism()) }, (_, index) => tryInCopy(join(places, `${index}`), left)),
);
rmSync(places, { recursive: true, force: true });
