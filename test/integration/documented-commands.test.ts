/** Commands between the demo comments of README.md and docs/tutorial.md print the documented output when the demo runs them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings } from '../demo/settings.ts';
import { type Demo, startDemo } from '../demo/start-demo.ts';
import { runProgram } from '../support/control-plane/run-program.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const START_MS = 120_000;
const TESTED = /<!-- demo -->\n(?<text>.*?)<!-- \/demo -->/gs;
/** A block of commands, with the block of output that may follow it. */
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
  const tested = [...(await read(page)).matchAll(TESTED)].map(({ groups }) => groups?.['text'] ?? '').join('');
  return [...tested.matchAll(BLOCK)].map(({ groups }) => ({
    commands: groups?.['commands'] ?? '',
    output: groups?.['output'] ?? '',
  }));
}

/** `…` stands for any text, and any duration for any other one. */
function patternOf(line: string): RegExp {
  const words = line
    .split(/\s+/)
    .map((word) => (/^(\d+[smh])+$/.test(word) ? String.raw`(\d+[smh])+` : RegExp.escape(word).replaceAll('…', '.*')));
  return new RegExp(words.join(String.raw`\s+`));
}

function missingFrom(found: string, { output }: Block): readonly string[] {
  return output
    .trimEnd()
    .split('\n')
    .filter((line) => !patternOf(line).test(found));
}

/** Commands that change nothing are repeated, since status and history follow a change. */
const reads = (commands: string) => !/ -X |kubectl (apply|patch|delete|wait)/.test(commands);

/** Variables last to the end of a page. The tutorial runs first, because it shows the samples unchanged. */
test.each(['docs/tutorial.md', 'README.md'])('%s', { timeout: START_MS }, async (page) => {
  const blocks = await blocksOf(page);
  expect(blocks.length).toBeGreaterThan(1);
  const here = (text: string) =>
    text.replaceAll('http://127.0.0.1:4242', url).replace(/^DEMO=\S+/m, `DEMO=${dirname(demo.kubeconfig)}`);
  let variables = `PATH=${dirname(demo.kubectl)}:$PATH\n`;
  for (const block of blocks) {
    const commands = here(block.commands);
    let last: unknown;
    const isShown = async () => {
      const { code, stdout, stderr } = await runProgram('bash', ['-c', variables + commands], { cwd: folder });
      const missing = missingFrom(stdout + stderr, block);
      last = { code, found: stdout + stderr, missing };
      return missing.length === 0 && (code === 0 || block.output !== '');
    };
    const timeoutMs = reads(commands) ? 30_000 : 0;
    await waitUntil({ what: 'the output', timeoutMs }, isShown).catch(() => expect(last, commands).toBe(block.output));
    variables += commands.replaceAll(/^(?![A-Z]+=).*\n/gm, '');
  }
});

test('the flag that README.md shows is accepted', async () => {
  const [, flag = ''] = /```yaml\n(.*?)```/s.exec(await read('README.md')) ?? [];
  const file = join(folder, 'flag.yaml');
  await writeFile(file, flag);
  const { code, stdout } = await runProgram(demo.kubectl, ['apply', '--dry-run=server', '-f', file]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('one-page-checkout')]);
});
