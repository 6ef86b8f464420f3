/** What the command line prints to a terminal, and to other outputs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { vexil, vexilProcess } from '../support/command-line.ts';

const RED = '\u001b[31m';
/** All control characters except line ends. */
const CONTROLS = /[^\P{Cc}\n]/u;
/** Makes the program treat its standard output as a terminal. */
const AT_TERMINAL = { NODE_OPTIONS: '--import data:text/javascript,process.stdout.isTTY=true' };

/** A file of another author, which would colour the terminal of its reader, or move the cursor. */
const HOSTILE = `apiVersion: vexil.dev/v1beta1
kind: FeatureFlag
metadata: { name: x }
spec:
  project: shop
  environments:
    production:
      enabled: true
      strategies:
        all:
          name: default
          constraints: [{ contextName: "us\\e[31mer\\n::error::", operator: IN, values: ["\\e[2J"] }]
---
apiVersion: vexil.dev/v1beta1
kind: Environment
metadata: { name: production }
---
apiVersion: vexil.dev/v1beta1
kind: Project
metadata: { name: shop }
`;
const files: Readonly<Record<string, string>> = {
  'flag.yaml': HOSTILE,
  'wrong.yaml': HOSTILE.replace('project: shop', '"un\\e[31mknown\\n::error::": 1'),
  'cases.yml':
    'cases: [{ name: "\\e[31mcase\\n::error::", flag: x, environment: production, enabled: true, context: {} }]',
  'export.json': JSON.stringify({
    version: 1,
    features: [{ name: 'a', strategies: [], [`${RED}odd\n::error::`]: `${RED}1` }],
    strategies: [],
  }),
};
const printing: readonly (readonly string[])[] = [
  ['lint', 'wrong.yaml'],
  ['lint', '--format', 'github', 'wrong.yaml'],
  ['evaluate', '-f', 'flag.yaml'],
  ['test', 'cases.yml', '-f', 'flag.yaml'],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-terminal-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  const { stdout, stderr } = await vexilProcess(args, { cwd: folder, environment: { NO_COLOR: '', ...environment } });
  return stdout + stderr;
};

describe('colours', () => {
  test('are used only on a terminal, and not with NO_COLOR', async () => {
    const lint = ['lint', 'wrong.yaml'];
    expect(await run(lint, AT_TERMINAL)).toContain(`${RED}error`);
    expect(await run(lint, { ...AT_TERMINAL, NO_COLOR: '1' })).not.toMatch(CONTROLS);
    expect(await run(lint)).not.toMatch(CONTROLS);
  });

  test('are not used for --help and errors', async () => {
    for (const args of [
      ['plan', '--help'],
      ['lint', '--no-such-option'],
    ]) {
      expect(await run(args), `${args}`).not.toMatch(CONTROLS);
    }
  });
});

test.each(printing.map((args) => ({ args })))('$args prints control characters as question marks', async ({ args }) => {
  const { stdout } = await vexil(args, { cwd: folder });
  expectHarmless(stdout);
});

test.each([
  { args: ['import', 'export.json', '--to', 'out', '--overwrite'] },
  { args: ['evaluate', '-f', 'flag.yaml', '--flag', `${RED}x`] },
])('$args prints control characters in notes and errors as question marks', async ({ args }) => {
  expectHarmless(await run(args));
});

function expectHarmless(printed: string): void {
  expect(printed).toContain('?[31m');
  expect(printed).not.toMatch(CONTROLS);
  // GitHub would take a line that begins this way as a command.
  expect(printed).not.toMatch(/^::error::/m);
}
