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
import { edgeBasics } from '../support/chart/edge-matrix.ts';
import { runProgram } from '../support/control-plane/run-program.ts';
import type { Stored } from '../support/stored.ts';
import { chartFolder, type Helm, manifestsIn, projectHelm } from '../support/tools/helm.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/package.ts', import.meta.url));
const { version } = manifest;
let folder: string;
let helm: Helm;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-release-'));
  helm = await projectHelm();
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
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const { code, stderr, stdout } = await makePackage(first);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect((await makePackage(second)).code).toBe(0);
  const archive = `vexil-cli-${version}.tar.gz`;
  expect(stdout.split('\n')).toContain(archive);
  expect(await readFile(join(second, archive))).toEqual(await readFile(join(first, archive)));

  await runProgram('tar', ['-xzf', join(first, archive), '-C', folder]);
  const unpacked = join(folder, `vexil-cli-${version}`);
  const environment = { PATH: [unpacked, dirname(process.execPath), process.env['PATH']].join(delimiter) };
  for (const name of ['vexil', 'kubectl-vexil']) {
    const shown = await runProgram(name, ['--version'], { environment });
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(version) });
  }
});

const CHARTS = ['vexil', 'vexil-edge'] as const;

test('the charts of the package have its version, and SHA256SUMS lists all files', async () => {
  const to = join(folder, 'sums');
  expect((await makePackage(to)).code).toBe(0);
  for (const name of CHARTS) {
    const shown = await helm.runOrThrow(['show', 'chart', join(to, `${name}-${version}.tgz`)]);
    expect(parse(shown)).toMatchObject({ name, version, appVersion: version });
  }
  const sums = (await readFile(join(to, 'SHA256SUMS'), 'utf8')).trim().split('\n');
  for (const line of sums) {
    const [sum, name = ''] = line.split('  ');
    expect(
      createHash('sha256')
        .update(await readFile(join(to, name)))
        .digest('hex'),
      name,
    ).toBe(sum);
  }
  expect(sums.length).toBe((await readdir(to)).length - 1);
});

test('the charts of the package name the published image, and otherwise equal those of the repository', async () => {
  const to = join(folder, 'named');
  const [repository, digest] = ['registry.example.com:5000/team/vexil', `sha256:${'a'.repeat(64)}`];
  const { code, stderr } = await makePackage(to, '--image', `${repository}:${version}@${digest}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const name of CHARTS) {
    const chart = join(to, `${name}-${version}.tgz`);
    const shown = parse(await helm.runOrThrow(['show', 'chart', chart]));
    const images = parse(shown.annotations['artifacthub.io/images']);
    expect(images).toEqual([{ name: 'vexil', image: `${repository}@${digest}` }]);

    const values = async (of: string) => parse(await helm.runOrThrow(['show', 'values', of]));
    const { image, ...others } = await values(chartFolder(name));
    expect(await values(chart)).toEqual({ ...others, image: { ...image, repository, digest } });
    const made = manifestsIn(await helm.runOrThrow(['template', name, chart], name === 'vexil' ? {} : edgeBasics));
    const [{ spec }] = made.filter(({ kind }) => kind === 'Deployment') as [Stored];
    expect(spec.template.spec.containers[0].image).toBe(`${repository}@${digest}`);
  }
});

test('the installation as one file names the published image, also for older clusters', async () => {
  const to = join(folder, 'installs');
  const [repository, digest] = ['registry.example.com:5000/team/vexil', `sha256:${'b'.repeat(64)}`];
  expect((await makePackage(to, '--image', `${repository}:${version}@${digest}`)).code).toBe(0);
  const kindsOf = async (name: string) => {
    const objects = manifestsIn(await readFile(join(to, name), 'utf8'));
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
