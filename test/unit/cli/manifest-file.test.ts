/** Files of manifests stay in their folder, whatever a server or a link says. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { filesWithoutFlag } from '../../../cli/export/files-without-flag.ts';
import { manifestPath, writeManifestFiles, writeReportFile } from '../../../cli/files/manifest-file.ts';
import { openPrivateFile } from '../../../cli/files/private-file.ts';
import { readText } from '../../../cli/manifests/source.ts';

let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vexil-files-'));
  folder = join(root, 'to');
  await mkdir(folder);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const fileFor = (folder: string, name: string) => ({
  path: manifestPath({ folder, plural: 'featureflags', name }),
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

test('a report is not written where a link leads', async () => {
  const precious = join(root, 'precious');
  await writeFile(precious, 'precious');
  await symlink(precious, join(folder, 'summary.md'));
  await symlink(root, join(folder, 'linked'));
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  await expect(writeReportFile('summary.md', 'new')).rejects.toThrow(/summary.md: it is a symbolic link/);
  await expect(writeReportFile('linked/precious', 'new')).rejects.toThrow(/linked is a link to/);
  await expect(openPrivateFile('summary.md', 'w')).rejects.toThrow(/it is a symbolic link/);
  await writeReportFile('own.md', 'new');
  expect([await readFile(precious, 'utf8'), await readFile('own.md', 'utf8')]).toEqual(['precious', 'new']);
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

test('a device in the place of a file is not read', async () => {
  await mkdir(join(folder, 'shop/featureflags'), { recursive: true });
  execFileSync('mkfifo', [join(folder, 'shop/featureflags/flag.yaml')]);
  await expect(write(fileFor('shop', 'flag'))).rejects.toThrow(/flag.yaml is a device, not a file/);
});

test.each(['outside', 'no-such'])(
  'a folder that is a link out of the working directory is refused: %s',
  async (target) => {
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(folder);
    await mkdir(join(root, 'outside'));
    await symlink(join('..', target), 'flags');
    for (const to of ['flags', join('flags', 'new')])
      await expect(writeManifestFiles(to, [fileFor('shop', 'flag')], { overwrite: true })).rejects.toThrow(
        /flags is a link to|flags: it is a link to nothing/,
      );
    expect(await readdir(join(root, 'outside'))).toEqual([]);
    await expect(writeManifestFiles('own/new', [fileFor('shop', 'flag')], { overwrite: true })).resolves.toMatchObject({
      written: ['shop/featureflags/flag.yaml'],
    });
  },
);

test('files of deleted flags are found in the folder, not behind links', async () => {
  const flag = (name: string) =>
    `apiVersion: vexil.dev/v1beta1\nkind: FeatureFlag\nmetadata: { name: ${name}, namespace: shop }\n`;
  const elsewhere = join(root, 'elsewhere/featureflags');
  for (const place of [elsewhere, join(folder, 'shop/featureflags'), join(folder, 'pay')])
    await mkdir(place, { recursive: true });
  await writeFile(join(elsewhere, 'gone.yaml'), flag('gone').replace('shop', 'linked'));
  await writeFile(join(folder, 'shop/featureflags/gone.yaml'), flag('gone'));
  await symlink('/dev/zero', join(folder, 'shop/featureflags/endless.yaml'));
  await symlink(join(elsewhere, 'gone.yaml'), join(folder, 'shop/featureflags/other.yaml'));
  await symlink(join(root, 'elsewhere'), join(folder, 'linked'));
  await symlink(elsewhere, join(folder, 'pay/featureflags'));
  const found = ['shop/featureflags/gone.yaml'];
  expect(await filesWithoutFlag(folder, new Set(), undefined)).toEqual(found);
  expect(await filesWithoutFlag(folder, new Set(), 'shop')).toEqual(found);
  expect(await filesWithoutFlag(folder, new Set(), 'linked')).toEqual([]);
});

test('a file without an end is refused', async () => {
  await expect(readText('/dev/zero')).rejects.toThrow('cannot read /dev/zero: the file has more than 67108864 bytes');
});
