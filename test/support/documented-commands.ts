/** Runs the commands between the demo comments of README.md and docs/, and compares what they print. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { PROGRAM } from './command-line.ts';
import { waitUntil } from './control-plane/wait-until.ts';

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

/** The page whose commands need files only. */
export const PAGE_OF_FILES = 'docs/check-flags.md';

/** The tutorial runs first, because it shows the samples unchanged. */
const FIRST = ['docs/tutorial.md', 'README.md'];

/** The pages with commands for the demo. */
export function demoPages(): readonly string[] {
  const pages = globSync('docs/*.md', { cwd: ROOT }).filter((page) =>
    readFileSync(join(ROOT, page), 'utf8').match(TESTED),
  );
  return [...FIRST, ...pages.filter((page) => ![...FIRST, PAGE_OF_FILES].includes(page)).toSorted()];
}

export const readPage = (page: string): Promise<string> => readFile(join(ROOT, page), 'utf8');

async function blocksOf(page: string): Promise<readonly Block[]> {
  return [...(await readPage(page)).matchAll(TESTED)].flatMap(({ groups: tested }) =>
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

export interface DocumentedRun {
  readonly page: string;
  /** A folder for the files of all pages. */
  readonly folder: string;
  /** The demo that the commands address, if they need one. */
  readonly demo?: { readonly exports: string; readonly url: string };
}

/** Returns a folder with the files that a page assumes: its own, the samples, packages and build of this project. */
async function folderOf({ page, folder, demo }: DocumentedRun): Promise<string> {
  const cwd = join(folder, page.replaceAll('/', '-'));
  await mkdir(join(cwd, '.local/bin'), { recursive: true });
  const samples = join(SAMPLES, basename(page, '.md'));
  if (existsSync(samples)) await cp(samples, cwd, { recursive: true });
  for (const name of ['config', 'node_modules']) await symlink(join(ROOT, name), join(cwd, name));
  await symlink(dirname(PROGRAM), join(cwd, 'dist'));
  if (demo === undefined) await symlink(PROGRAM, join(cwd, '.local/bin/vexil'));
  // Without this option curl exits with 0 for every answer.
  await writeFile(join(cwd, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
  return cwd;
}

/** The shell of a user of the demo. */
function variablesOf(cwd: string, exports = ''): string {
  const path = [join(cwd, '.local/bin'), dirname(process.execPath), '$PATH'].join(':');
  // With NODE_ENV=test the Node SDK keeps its process for 15 seconds.
  return `unset NODE_ENV; export HOME='${cwd}' PATH=${path}\n${exports}\n`;
}

/** A folder, and variables that are set on one line, stay to the end of a page. */
export async function runDocumented(documented: DocumentedRun): Promise<void> {
  const { page, demo } = documented;
  const blocks = await blocksOf(page);
  expect(blocks.length).toBeGreaterThan(0);
  const cwd = await folderOf(documented);
  const run = (commands: string) => runProgram('bash', ['-c', commands], { cwd });
  const here = (text: string) =>
    demo ? text.replaceAll('http://127.0.0.1:4242', demo.url).replace(/^export PATH=.*/m, () => demo.exports) : text;
  let variables = variablesOf(cwd, demo?.exports);
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
}
