/** The files that a release publishes in addition to the image. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { releaseNotes } from '../../scripts/release-notes.ts';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { edgeBasics } from '../support/chart/edge-matrix.ts';
import type { Stored } from '../support/stored.ts';
import { chartFolder, type Helm, manifestsIn, projectHelm } from '../support/tools/helm.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/package.ts', import.meta.url));
const { version } = manifest;
const [repository, digest] = ['registry.example.com:5000/team/vexil', `sha256:${'a'.repeat(64)}`];
let folder: string;
let helm: Helm;
/** The folder of a package that names the published image, and that of one that does not. */
let named: string;
let plain: string;
/** The files of the first one, as the program lists them. */
let files: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-release-'));
  helm = await projectHelm();
  [named, plain] = [join(folder, 'named'), join(folder, 'plain')];
  const { code, stderr, stdout } = await makePackage(named, '--image', `${repository}:${version}@${digest}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  files = stdout.split('\n');
  expect((await makePackage(plain)).code).toBe(0);
});

afterAll(async () => {
  await helm?.end();
  await rm(folder, { recursive: true, force: true });
});

function makePackage(to: string, ...args: readonly string[]) {
  const from = dirname(process.env['VEXIL_TEST_PROGRAM'] ?? '');
  return runProgram(process.execPath, [SCRIPT, '--from', from, '--to', to, ...args]);
}

test('the archive of the command line runs as `vexil` and as `kubectl vexil`, and is the same each time', async () => {
  const archive = `vexil-cli-${version}.tar.gz`;
  expect(files).toContain(archive);
  expect(await readFile(join(plain, archive))).toEqual(await readFile(join(named, archive)));

  await runProgram('tar', ['-xzf', join(named, archive), '-C', folder]);
  const unpacked = join(folder, `vexil-cli-${version}`);
  const environment = { PATH: [unpacked, dirname(process.execPath), process.env['PATH']].join(delimiter) };
  for (const name of ['vexil', 'kubectl-vexil']) {
    const shown = await runProgram(name, ['--version'], { environment });
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(version) });
  }
});

test('SHA256SUMS lists all files', async () => {
  const sums = (await readFile(join(named, 'SHA256SUMS'), 'utf8')).trim().split('\n');
  for (const line of sums) {
    const [sum, name = ''] = line.split('  ');
    expect(
      createHash('sha256')
        .update(await readFile(join(named, name)))
        .digest('hex'),
      name,
    ).toBe(sum);
  }
  expect(sums.length).toBe((await readdir(named)).length - 1);
});

const CHARTS = ['vexil', 'vexil-edge'] as const;
const show = async (what: 'chart' | 'values', of: string) => parse(await helm.runOrThrow(['show', what, of]));

test('the charts have the version of the package, name the published image, and otherwise equal those of the repository', async () => {
  for (const name of CHARTS) {
    const [chart, unnamed] = [named, plain].map((of) => join(of, `${name}-${version}.tgz`)) as [string, string];
    const shown = await show('chart', chart);
    expect(shown).toMatchObject({ name, version, appVersion: version });
    expect(parse(shown.annotations['artifacthub.io/images'])).toEqual([
      { name: 'vexil', image: `${repository}@${digest}` },
    ]);

    const { image, ...others } = await show('values', chartFolder(name));
    expect(await show('values', chart)).toEqual({ ...others, image: { ...image, repository, digest } });
    expect(await show('values', unnamed)).toEqual({ ...others, image });
    const made = manifestsIn(await helm.runOrThrow(['template', name, chart], name === 'vexil' ? {} : edgeBasics));
    const [{ spec }] = made.filter(({ kind }) => kind === 'Deployment') as [Stored];
    expect(spec.template.spec.containers[0].image).toBe(`${repository}@${digest}`);
  }
});

test('the installation as one file names the published image, also for older clusters', async () => {
  const kindsOf = async (name: string) => {
    const objects = manifestsIn(await readFile(join(named, name), 'utf8'));
    const [deployment] = objects.filter(({ kind }) => kind === 'Deployment') as [Stored];
    expect(deployment.spec.template.spec.containers[0].image, name).toBe(`${repository}@${digest}`);
    return new Set(objects.map(({ kind }) => kind));
  };
  expect(await kindsOf('install.yaml')).toContain('MutatingAdmissionPolicy');
  expect(await kindsOf('install-kubernetes-1.33.yaml')).not.toContain('MutatingAdmissionPolicy');
});

test('packaging a chart fails for an image without a digest', async () => {
  const { code, stderr } = await makePackage(
    join(folder, 'by-tag'),
    '--image',
    `registry.example.com/vexil:${version}`,
  );
  expect(code).not.toBe(0);
  expect(stderr).toContain('name it by digest, NAME@sha256:…');
});

test('packaging fails for a tag of another version', async () => {
  const to = join(folder, 'refused');
  const { code, stderr } = await makePackage(to, '--tag', 'v9.9.9');
  expect(code).not.toBe(0);
  expect(stderr).toContain(`the tag is v9.9.9, and package.json has version ${version}: tag a release v${version}`);
  await expect(readdir(to)).rejects.toThrow('ENOENT');
});

test('the notes are the section of the CHANGELOG about the version', () => {
  const changelog = '# Changelog\n\n## 1.1.0, 2026-02-01\n\n- New.\n\n## 1.0.0, not yet released\n\n- First.\n';
  expect(releaseNotes(changelog, '1.1.0')).toBe('- New.\n');
  expect(() => releaseNotes(changelog, '1.0.0')).toThrow('write the date of its release');
  expect(() => releaseNotes(changelog, '2.0.0')).toThrow('no heading "## 2.0.0, DATE"');
});
