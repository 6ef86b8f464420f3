/** Paths of the API server are made in one place, which encodes names and refuses those that lead elsewhere. */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { children, type Finding, inWords, type Node, parseSource, readTexts, type Source } from './source.ts';

const PLACE = 'src/kube/api/paths.ts';

function pathsByHand(sources: readonly Source[]): Finding[] {
  const because = `resourcePath in ${PLACE} encodes names, which others may write`;
  return sources
    .filter(({ path }) => path !== PLACE)
    .flatMap(({ path, places, lineOf }) =>
      places
        .filter(({ node }) => /^\/(api\/v\d|apis\/)/.test(beginningOf(node)))
        .map(({ node }) => ({ path, line: lineOf(node), what: 'has a path of the API server', because })),
    );
}

/** The constant text that a literal begins with. */
function beginningOf(node: Node): string {
  const text = node.type === 'Literal' ? node['value'] : textOfQuasi(node);
  return typeof text === 'string' ? text : '';
}

function textOfQuasi(node: Node): unknown {
  if (node.type !== 'TemplateLiteral') return undefined;
  const [first] = children(node, 'quasis');
  // `value` has no type, as it is no node.
  return (first?.['value'] as { readonly cooked: string } | undefined)?.cooked;
}

test('in this project', () => {
  const texts = readTexts(resolve(import.meta.dirname, '../..'), ['src', 'cli', 'console/src']);
  // Parsing takes a while, and only few files have such a text.
  const sources = texts.filter(({ text }) => /[`'"]\/api/.test(text)).map(({ path, text }) => parseSource(path, text));
  expect(sources.length).toBeGreaterThan(0);
  expect(pathsByHand(sources).map(inWords)).toEqual([]);
});

const inFile = (path: string, text: string) => pathsByHand([parseSource(path, text)]).map(inWords);

test.each([
  'const path = `/api/v1/namespaces/$'.concat('{namespace}/secrets/$', '{name}`;'),
  'const path = `/apis/$'.concat('{group}/v1/leases`;'),
  "const path = '/apis/apps/v1/namespaces/' + namespace;",
])('a breach is found: %s', (text) => {
  expect(inFile('cli/a.ts', text)).toEqual([expect.stringMatching(/^cli\/a\.ts:1 has a path of the API server/)]);
});

test.each([
  ['cli/a.ts', 'const path = `/api/admin/projects/$'.concat('{name}`; // `/api/v1/namespaces/$', '{name}`')],
  ['cli/a.ts', 'const root = `apis/$'.concat('{group}/v1`;')],
  [PLACE, "const path = '/apis/apps/v1/deployments';"],
])('nothing is found in %s: %s', (path, text) => {
  expect(inFile(path, text)).toEqual([]);
});
