/** Files of manifests stay in their folder, whatever a server or a link says. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manifestPath, writeManifestFiles } from '../../../cli/files/manifest-file.ts';

let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vexil-files-'));
  folder = join(root, 'to');
  await mkdir(folder);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const fileFor = (namespace: string, name: string) => ({
  path: manifestPath({ namespace, plural: 'featureflags', name }),
  text: 'spec: {}\n',
});
const write = (...files: ReturnType<typeof fileFor>[]) => writeManifestFiles(folder, files, { overwrite: true });

test.each([
  ['shop', '../../../escaped'],
  ['..', 'flag'],
  ['/etc', 'flag'],
  ['shop', 'a\\b'],
  ['shop', '.hidden'],
  ['', 'flag'],
  ['shop', 'Flag\n'],
])('namespace %j with the name %j is refused, and nothing is written', async (namespace, name) => {
  await expect(write(fileFor('shop', 'fine'), fileFor(namespace, name))).rejects.toThrow(/^nothing was written: /);
  expect(await readdir(root, { recursive: true })).toEqual(['to']);
});

test('a file that is a link is not followed', async () => {
  const precious = join(root, 'precious');
  await writeFile(precious, 'precious');
  await mkdir(join(folder, 'shop/featureflags'), { recursive: true });
  await symlink(precious, join(folder, 'shop/featureflags/flag.yaml'));
  await expect(write(fileFor('shop', 'flag'))).rejects.toThrow(/flag.yaml is a symbolic link/);
  expect(await readFile(precious, 'utf8')).toBe('precious');
});

test('a folder that is a link is not followed', async () => {
  await mkdir(join(root, 'elsewhere'));
  await symlink(join(root, 'elsewhere'), join(folder, 'shop'));
  await expect(write(fileFor('shop', 'flag'))).rejects.toThrow(/shop is a symbolic link/);
  expect(await readdir(join(root, 'elsewhere'))).toEqual([]);
});

test('names of objects are files below the folder', async () => {
  const { written } = await write(fileFor('shop', 'flag-1.of.ada'));
  expect(written).toEqual(['shop/featureflags/flag-1.of.ada.yaml']);
  expect(await readFile(join(folder, 'shop/featureflags/flag-1.of.ada.yaml'), 'utf8')).toBe('spec: {}\n');
});
