/** The sources of the programs for the tests of the chart, and the message for a developer without them. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { projectTools } from '../../../scripts/tools/project-tools.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tools-test-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function program(path: string, text = ''): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
}

const find = (environment: Record<string, string> = {}) =>
  projectTools({ environment, cache: join(folder, 'cache'), say: () => undefined });

test('they come from the folder that VEXIL_TOOLS names', async () => {
  for (const name of ['helm', 'kubeconform', 'actionlint']) await program(join(folder, name));
  expect(await find({ VEXIL_TOOLS: folder })).toEqual({
    helm: join(folder, 'helm'),
    kubeconform: join(folder, 'kubeconform'),
    actionlint: join(folder, 'actionlint'),
  });
});

test('a folder that lacks a program is reported with its name', async () => {
  await program(join(folder, 'helm'));
  await expect(find({ VEXIL_TOOLS: folder })).rejects.toThrow(
    `VEXIL_TOOLS=${folder} has no program kubeconform, actionlint`,
  );
});

test('without Go the message says what to install or to set', async () => {
  vi.stubEnv('PATH', folder);
  await expect(find()).rejects.toThrow(/there is no Go here\. Install Go [\d.]+ or newer .*VEXIL_TOOLS/);
});

test('they are built once, each with its version, and found again', async () => {
  vi.stubEnv('PATH', `${folder}/bin:/usr/bin:/bin`);
  // The file after -o is the result of a build. The arguments of the build are noted.
  const build =
    'echo "$@" >> "$(dirname "$0")/../calls"; while [ "$1" != -o ]; do shift; done; : > "$2"; chmod +x "$2"';
  await program(join(folder, 'bin/go'), `[ "$1" = env ] && echo go1.99.0 && exit 0\n${build}`);
  const first = await find();
  expect(first.helm).toMatch(/\/cache\/helm-4\.[\d.]+-kubeconform-[\d.]+-actionlint-[\d.]+-\w+-\w+\/helm$/);
  await rm(join(folder, 'bin/go'));
  expect(await find()).toEqual(first);
});
