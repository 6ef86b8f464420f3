/** The workflows of the repository, which run on other machines than a laptop. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runProgram } from '../support/control-plane/run-program.ts';
import { kubernetesVersions } from '../support/control-plane/versions.ts';
import { projectTools } from '../support/tools/project-tools.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, '.github/workflows');
const PINNED = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/;
const LOCAL = /^\.\/\.github\/actions\/[\w-]+$/;

const names = await readdir(FOLDER);
const texts = await Promise.all(names.map((name) => readFile(join(FOLDER, name), 'utf8')));
const composite = await readFile(join(ROOT, '.github/actions/setup/action.yml'), 'utf8');

test('actionlint finds nothing', async () => {
  const { actionlint } = await projectTools();
  // The results of these programs depend on whether the machine has them.
  const args = ['-no-color', '-shellcheck=', '-pyflakes=', ...names.map((name) => join(FOLDER, name))];
  expect(await runProgram(actionlint, args, { cwd: ROOT })).toMatchObject({ code: 0, stdout: '' });
});

test('every target that they make is in the Makefile', async () => {
  const makefile = await readFile(join(ROOT, 'Makefile'), 'utf8');
  const targets = new Set([...makefile.matchAll(/^([a-z0-9-]+):/gm)].map(([, name]) => name));
  const made = texts.flatMap((text) => [...text.matchAll(/\bmake ([a-z0-9-]+)/g)].map(([, name = '']) => name));
  expect(made).toEqual(
    expect.arrayContaining([
      'check',
      'test',
      'e2e',
      'soak',
      'fuzz',
      'bench',
      'compat',
      'package',
      'release-image',
      'site',
    ]),
  );
  expect(made.filter((name) => !targets.has(name))).toEqual([]);
});

test('every supported version of Kubernetes has its jobs', async () => {
  const versions = (await kubernetesVersions()).map(({ minor }) => minor);
  const matrixOf = (file: string, job: string) => parse(texts[names.indexOf(file)] ?? '').jobs[job].strategy.matrix;
  expect(matrixOf('check.yaml', 'compat').kubernetes).toEqual(versions);
  const { include } = matrixOf('e2e.yaml', 'e2e');
  expect(include.map(({ kubernetes }: { kubernetes: string }) => kubernetes)).toEqual(versions);
});

test('actions are pinned by commit, and every job has rights and an end', () => {
  const used = [...texts, composite].flatMap((text) =>
    [...text.matchAll(/\buses: (.*)$/gm)].map(([, name = '']) => name),
  );
  expect(used.filter((name) => !PINNED.test(name) && !LOCAL.test(name))).toEqual([]);
  for (const [index, text] of texts.entries()) {
    const { permissions, jobs } = parse(text);
    expect(permissions, names[index]).toEqual({ contents: 'read' });
    for (const job of Object.values<{ 'timeout-minutes'?: number }>(jobs))
      expect(job['timeout-minutes'], names[index]).toBeGreaterThan(0);
  }
});

test('a pipe fails if any of its programs fails', () => {
  // GitHub runs bash with pipefail only where a workflow names it.
  for (const [index, text] of texts.entries())
    expect(parse(text).defaults, names[index]).toEqual({ run: { shell: 'bash' } });
});

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}

test('a release signs the image, the charts and the checksums, and all have a provenance', () => {
  const { steps }: { steps: readonly Step[] } = parse(texts[names.indexOf('release.yaml')] ?? '').jobs.publish;
  const commands = steps.map(({ run = '' }) => run).join('\n');
  expect(commands.match(/cosign sign.*/g)).toEqual([
    'cosign sign --yes "$REGISTRY/vexil@$IMAGE"',
    'cosign sign --yes "$REGISTRY/charts/vexil@$CHART"',
    'cosign sign --yes "$REGISTRY/charts/vexil-edge@$EDGE_CHART"',
    'cosign sign-blob --yes --bundle dist/release/SHA256SUMS.sigstore.json dist/release/SHA256SUMS',
  ]);
  const attested = steps.filter(({ uses = '' }) => uses.startsWith('actions/attest-build-provenance@'));
  const subjects = attested.map(({ with: { 'subject-name': name, 'subject-checksums': sums } = {} }) => name ?? sums);
  expect(subjects.map((subject) => subject?.replace(/^.*\}\}/, 'REGISTRY'))).toEqual([
    'REGISTRY/vexil',
    'REGISTRY/charts/vexil',
    'REGISTRY/charts/vexil-edge',
    'dist/release/SHA256SUMS',
  ]);
});

test('the charts of a release are packaged with the published image, and every one is published', async () => {
  const { steps }: { steps: readonly Step[] } = parse(texts[names.indexOf('release.yaml')] ?? '').jobs.publish;
  const order = ['imagetools create', 'make package', 'helm push'].map((command) =>
    steps.findIndex(({ run = '' }) => run.includes(command)),
  );
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order).not.toContain(-1);
  expect(steps[order[1] ?? -1]?.run).toBe('make package TAG="$VERSION" IMAGE="$REGISTRY/vexil@$DIGEST"');
  const entries = await readdir(join(ROOT, 'charts'), { withFileTypes: true });
  const charts = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const [, pushed = ''] = /for name in (.*); do/.exec(steps[order[2] ?? -1]?.run ?? '') ?? [];
  expect(pushed.split(' ').toSorted()).toEqual(charts.toSorted());
});

test('Dependabot moves no folder of a version of Kubernetes to another minor version', async () => {
  const { updates } = parse(await readFile(join(ROOT, '.github/dependabot.yml'), 'utf8'));
  const modules = updates.filter(({ directories = [] }: { directories?: readonly string[] }) =>
    directories.some((folder) => folder.startsWith('/test/controlplane')),
  );
  expect(modules.map(({ ignore }: { ignore: unknown }) => ignore)).toEqual([
    [
      {
        'dependency-name': '*',
        'update-types': ['version-update:semver-major', 'version-update:semver-minor'],
      },
    ],
  ]);
});
