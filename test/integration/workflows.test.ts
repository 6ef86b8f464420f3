/** The workflows of the repository, which run on other machines than a laptop. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { kubernetesVersions } from '../../scripts/tools/control-plane/versions.ts';
import { projectTools } from '../../scripts/tools/project-tools.ts';
import { runProgram } from '../../scripts/tools/run-program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, '.github/workflows');
const PINNED = /^[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d/;
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
    expect.arrayContaining(['check', 'test', 'e2e', 'soak', 'fuzz', 'bench', 'compat', 'release', 'site']),
  );
  expect(made.filter((name) => !targets.has(name))).toEqual([]);
});

/** No image of a node was known when the version was added: its pods are not tested. */
const WITHOUT_NODE_IMAGE = ['1.37'];

test('every supported version of Kubernetes has its jobs', async () => {
  const versions = (await kubernetesVersions()).map(({ minor }) => minor);
  const matrixOf = (file: string, job: string) => parse(texts[names.indexOf(file)] ?? '').jobs[job].strategy.matrix;
  expect(matrixOf('check.yaml', 'compat').kubernetes).toEqual(versions);
  const { include } = matrixOf('e2e.yaml', 'e2e');
  expect(include.map(({ kubernetes }: { kubernetes: string }) => kubernetes)).toEqual(
    versions.filter((version) => !WITHOUT_NODE_IMAGE.includes(version)),
  );
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

test('a release runs one command, which makes, pushes and signs everything', () => {
  const { steps }: { steps: readonly { readonly run?: string }[] } = parse(texts[names.indexOf('release.yaml')] ?? '')
    .jobs.release;
  const commands = steps.map(({ run = '' }) => run).filter((run) => run !== '');
  expect(commands).toEqual([
    expect.stringMatching(/^make release .* PUBLISH=yes$/),
    expect.stringMatching(/^gh release/),
  ]);
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
