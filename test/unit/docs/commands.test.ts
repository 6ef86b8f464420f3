/** Every command block of the documentation is run by a test, or states why not. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
/** The examples of the API page are made from its schemas: the tests of each endpoint send such requests. */
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'charts/vexil/README.md', 'charts/vexil-edge/README.md'],
  ...globSync('docs/*.md', { cwd: root }).filter((page) => page !== 'docs/api.md'),
];

const RUN = /<!-- demo -->\n.*?<!-- \/demo -->/gs;
/** A comment that no reader sees: it names what a test does not have. */
const NOT_RUN = /<!-- not run: [^\n]{5,} -->\n *```sh\n.*?```/gs;

/** Returns the first line of each block that is neither run nor states why not. */
function unmarked(text: string): readonly string[] {
  const rest = text.replaceAll(RUN, '').replaceAll(NOT_RUN, '');
  return [...rest.matchAll(/^ *```(?:sh|bash|shell|console)\n(.*)/gm)].map(([, line = '']) => line);
}

test('each block of commands runs in documented-commands.test.ts, or a comment above states why it cannot', () => {
  expect(pages.length).toBeGreaterThan(30);
  const found = pages.flatMap((page) =>
    unmarked(readFileSync(join(root, page), 'utf8')).map((line) => `${page}: ${line}`),
  );
  expect(found).toEqual([]);
});

test('the test detects a block without a comment', () => {
  const [run, other] = ['```sh\na\n```\n', '```sh\nb\n```\n'];
  expect(unmarked(`<!-- demo -->\n${run}<!-- /demo -->\n${other}`)).toEqual(['b']);
  expect(unmarked(`<!-- not run: needs pods -->\n${run}\n${other}`)).toEqual(['b']);
  expect(unmarked(`<!-- demo -->\n${run}\n${other}<!-- /demo -->\n`)).toEqual([]);
  expect(unmarked('```console\n$ c\n```\n')).toEqual(['$ c']);
});
