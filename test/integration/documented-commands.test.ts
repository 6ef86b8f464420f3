/**
 * Commands between the demo comments of README.md and docs/ succeed, and print the documented output, when the demo
 * runs them.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings } from '../demo/settings.ts';
import { type Demo, startDemo } from '../demo/start-demo.ts';
import { PROGRAM } from '../support/command-line.ts';
import { runProgram } from '../support/control-plane/run-program.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const START_MS = 120_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Each page that needs files has a folder of them. */
const SAMPLES = join(ROOT, 'test/samples/documented');
const TESTED = /<!-- demo -->\n(?<text>.*?)<!-- \/demo -->/gs;
/** A block of commands, with the block of its output if one follows. */
const BLOCK = /```sh\n(?<commands>.*?)```\n(?:\n```\n(?<output>.*?)```\n)?/gs;

interface Block {
  readonly commands: string;
  readonly output: string;
}

let demo: Demo;
let url: string;
let folder: string;

beforeAll(async () => {
  const { VEXIL_CONTROL_PLANE } = process.env;
  const settings = await readSettings({ VEXIL_CONTROL_PLANE, VEXIL_HTTP_PORT: '0' });
  url = settings.url;
  demo = await startDemo({ settings, say: () => undefined, signal: new AbortController().signal });
  folder = await mkdtemp(join(tmpdir(), 'vexil-documented-'));
}, START_MS);
afterAll(async () => {
  await demo?.stop();
  if (folder) await rm(folder, { recursive: true });
});

const read = (page: string) => readFile(new URL(`../../${page}`, import.meta.url), 'utf8');

async function blocksOf(page: string): Promise<readonly Block[]> {
  return [...(await read(page)).matchAll(TESTED)].flatMap(({ groups: tested }) =>
    [...(tested?.['text'] ?? '').matchAll(BLOCK)].map(({ groups }) => ({
      commands: groups?.['commands'] ?? '',
      output: groups?.['output'] ?? '',
    })),
  );
}

/** Parts of an output that differ each time: durations, times, ids. */
const VARYING = [/^(?:\d+[smh])+$/, /\d{4}-\d\d-\d\dT[\d:.]+Z/, /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/];

/** `…` matches any text, and a part that varies matches any other of its form. */
function patternOf(line: string): RegExp {
  return new RegExp(line.split(/\s+/).map(patternOfWord).join(String.raw`\s+`));
}

function patternOfWord(word: string): string {
  const varying = VARYING.find((pattern) => pattern.test(word));
  const found = varying?.exec(word)?.[0];
  if (varying === undefined || found === undefined) return RegExp.escape(word).replaceAll('…', '.*');
  const [before = '', ...after] = word.split(found);
  return `${patternOfWord(before)}${varying.source.replaceAll(/[$^]/g, '')}${patternOfWord(after.join(found))}`;
}

function missingFrom(found: string, { output }: Block): readonly string[] {
  return output
    .trimEnd()
    .split('\n')
    .filter((line) => !patternOf(line).test(found));
}

/** Commands that change nothing are repeated, because status and history follow a change with a delay. */
const reads = (commands: string) => !/ -X |kubectl (apply|patch|delete|wait)/.test(commands);

/** Returns a folder with the files that a page assumes: its own, the samples, packages and build of this project. */
async function folderOf(page: string): Promise<string> {
  const cwd = join(folder, page.replaceAll('/', '-'));
  await mkdir(join(cwd, '.local/bin'), { recursive: true });
  const samples = join(SAMPLES, basename(page, '.md'));
  if (existsSync(samples)) await cp(samples, cwd, { recursive: true });
  for (const name of ['config', 'node_modules']) await symlink(join(ROOT, name), join(cwd, name));
  await symlink(dirname(PROGRAM), join(cwd, 'dist'));
  // Without this option curl exits with 0 for every answer.
  await writeFile(join(cwd, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
  return cwd;
}

/** The shell of a user of the demo. */
function variablesOf(cwd: string): string {
  const path = [join(cwd, '.local/bin'), dirname(process.execPath), '$PATH'].join(':');
  // With NODE_ENV=test the Node SDK keeps its process for 15 seconds.
  return `unset NODE_ENV; export HOME='${cwd}' PATH=${path}\n${demo.exports}\n`;
}

/** The tutorial runs first, because it shows the samples unchanged. */
const FIRST = ['docs/tutorial.md', 'README.md'];
const pages = globSync('docs/*.md', { cwd: ROOT }).filter((page) =>
  readFileSync(join(ROOT, page), 'utf8').match(TESTED),
);
const others = pages.filter((page) => !FIRST.includes(page)).toSorted();

/** A folder, and variables that are set on one line, stay to the end of a page. */
test.each([...FIRST, ...others])('%s', { timeout: START_MS }, async (page) => {
  const blocks = await blocksOf(page);
  expect(blocks.length).toBeGreaterThan(0);
  const cwd = await folderOf(page);
  const run = (commands: string) => runProgram('bash', ['-c', commands], { cwd });
  const here = (text: string) =>
    text.replaceAll('http://127.0.0.1:4242', url).replace(/^export PATH=.*/m, () => demo.exports);
  let variables = variablesOf(cwd);
  for (const block of blocks) {
    const commands = here(block.commands);
    // If no output is documented, each command has to succeed.
    const strict = block.output === '' ? 'set -e\n' : '';
    let last: unknown;
    const isShown = async () => {
      const { code, stdout, stderr } = await run(variables + strict + commands);
      const missing = missingFrom(stdout + stderr, block);
      last = { code, found: stdout + stderr, missing };
      return missing.length === 0 && (code === 0 || block.output !== '');
    };
    const timeoutMs = reads(commands) ? 120_000 : 0;
    await waitUntil({ what: 'the output', timeoutMs }, isShown).catch(() => expect(last, commands).toBe(block.output));
    variables += commands.replaceAll(/^(?!cd |[A-Z]+=.*[^\\]$).*\n/gm, '');
  }
});

test('the flag that README.md shows is accepted', async () => {
  const [, flag = ''] = /```yaml\n(.*?)```/s.exec(await read('README.md')) ?? [];
  const file = join(folder, 'flag.yaml');
  await writeFile(file, flag);
  const { code, stdout } = await runProgram(join(demo.bin, 'kubectl'), ['apply', '--dry-run=server', '-f', file]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('one-page-checkout')]);
});
