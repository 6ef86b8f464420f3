/** What an import keeps beside its manifests: where a link leads, who reads it, and when it counts. */
import { lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPrivateFile } from '../../../cli/files/private-file.ts';
import { keepEnvironments } from '../../../cli/import/keep-environments.ts';
import { openJournal } from '../../../cli/import/server/journal.ts';

const NOW = Date.parse('2026-11-28T08:00:00Z');
const address = 'https://unleash.example.com';
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-private-'));
  file = join(folder, 'journal');
});
afterEach(() => rm(folder, { recursive: true }));

test('a journal that is a link is refused, and what it leads to stays', async () => {
  const precious = join(folder, 'precious');
  await writeFile(precious, 'precious');
  await symlink(precious, file);
  await expect(openJournal({ file, address, now: NOW })).rejects.toThrow('it is a symbolic link');
  expect([await readFile(precious, 'utf8'), (await lstat(file)).isSymbolicLink()]).toEqual(['precious', true]);
});

test.each([
  [-1, 0],
  [0, 1],
  [3_599_999, 1],
  [3_600_000, 0],
])('of a journal that began %i ms ago, %i flags count', async (ageMs, size) => {
  const flag = { project: 'default', flag: {}, tags: [] };
  const lines = [
    { address, startedAt: NOW - ageMs },
    { name: 'planted', flag },
  ];
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const journal = await openJournal({ file, address, now: NOW });
  await journal.close();
  expect(journal.size).toBe(size);
});

test('a file that everyone could read is for its owner only', async () => {
  await writeFile(file, 'old', { mode: 0o644 });
  const handle = await openPrivateFile(file, 'w');
  await handle.close();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('the environments of a file that is a link are not kept, even if it has no end', async () => {
  const read = { objects: [{ kind: 'flags' as const, name: 'f', spec: {} }], unmapped: [] };
  await mkdir(join(folder, 'shop/featureflags'), { recursive: true });
  await symlink('/dev/zero', join(folder, 'shop/featureflags/f.yaml'));
  const layout = { namespace: 'shop', operatorNamespace: 'vexil-system' };
  expect((await keepEnvironments(read, folder, layout)).objects).toEqual(read.objects);
});
