/** Every command block of the documentation is run by a test, or states why not; requests and options in it exist. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../../cli/program.ts';
import { silentTerminal } from '../../../cli/terminal.ts';
import { routes } from '../../../src/http/routes/all.ts';

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

test('each block of commands runs in a test, or a comment above states why it cannot', () => {
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

/** The lines of the blocks that are run, those that go on joined, with the path in place of a variable. */
function commandLines(text: string): readonly string[] {
  const blocks = [...text.matchAll(RUN)].flatMap(([run]) => [...run.matchAll(/```sh\n(.*?)```/gs)]);
  const code = blocks.map(([, commands = '']) => commands).join('\n');
  const [, flag = ''] = /^FLAG=(\S+)/m.exec(code) ?? [];
  return code
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll('$FLAG', flag)
    .split('\n');
}

/** Returns `METHOD /path` of a request of curl to the API. */
function requestOf(line: string): string | undefined {
  const [, path] = /\bcurl .*?\$API(\/[^\s"?]*)/.exec(line) ?? [];
  if (path === undefined) return undefined;
  const sends = !line.includes(' --get ') && / -[dF] /.test(line);
  return `${/ -X (\w+)/.exec(line)?.[1] ?? (sends ? 'POST' : 'GET')} ${path}`;
}

const known = routes.map(({ method, path }) => {
  return new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/:\w+/g, '[^/]+')}$`);
});

/** Returns the commands and options of vexil on this line that do not exist. */
function unknownOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|[\s(|])vexil ([^|)]*)/g)].flatMap(([, rest = '']) => {
    const words = rest.split(/\s+/);
    let command = createProgram(silentTerminal);
    for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command;
    if (command.parent === null) return [`vexil ${rest}`];
    const options = command.options.flatMap(({ long, short }) => [long, short]);
    return words.filter((word) => /^--?[a-z]/.test(word) && !options.includes(word.replace(/=.*/, '')));
  });
}

test('each request of curl is one of an endpoint, and each option of vexil exists', () => {
  const lines = pages.flatMap((page) => commandLines(readFileSync(join(root, page), 'utf8')));
  const requests = lines.flatMap((line) => requestOf(line) ?? []);
  expect(requests.length).toBeGreaterThan(40);
  expect(requests.filter((request) => !known.some((one) => one.test(request)))).toEqual([]);
  expect(lines.filter((line) => line.includes('vexil ')).length).toBeGreaterThan(10);
  expect(lines.flatMap(unknownOf)).toEqual([]);
});

test('the test detects a request without an endpoint, a command and an option that do not exist', () => {
  const [request = ''] = commandLines('<!-- demo -->\n```sh\ncurl \\\n  -X PUT $API/a?b=c\n```\n<!-- /demo -->');
  expect(requestOf(request)).toBe('PUT /a');
  expect(requestOf('curl "$API/state/import" -F file=@export.yml')).toBe('POST /state/import');
  expect(unknownOf('vexil lnt a.yaml')).toEqual(['vexil lnt a.yaml']);
  expect(unknownOf('vexil lint a.yaml --contxt b | tail --lines 1')).toEqual(['--contxt']);
  expect(unknownOf('vexil edge check --upstream-url=http://a')).toEqual([]);
});
