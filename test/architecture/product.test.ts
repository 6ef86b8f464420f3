/** The product stands without its tests: scripts build, package and release it, so they count as product here. */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type Finding, inWords, parseSource, readTexts, type Source, targetOf } from './source.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PRODUCT = ['src', 'cli', 'console/src', 'scripts', 'site'];

function importsOfTests(sources: readonly Source[]): Finding[] {
  const because = 'what the product and its tests both need stands in scripts';
  return sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ specifier }) => targetOf(path, specifier)?.startsWith('test/'))
      .map(({ specifier, line }) => ({ path, line, what: `imports ${specifier}`, because })),
  );
}

test('in this project', () => {
  const texts = readTexts(ROOT, PRODUCT);
  for (const folder of PRODUCT) expect(texts.some(({ path }) => path.startsWith(`${folder}/`))).toBe(true);
  // Parsing all files takes seconds.
  const sources = texts.filter(({ text }) => text.includes('/test/')).map(({ path, text }) => parseSource(path, text));
  expect(importsOfTests(sources).map(inWords)).toEqual([]);
});

test.each([
  ['scripts/a.ts', "import { b } from '../test/support/b.ts';"],
  ['scripts/image/a.ts', "import type { B } from '../../test/support/b.ts';"],
  ['site/a.ts', "const b = await import('../test/b.ts');"],
])('a breach in %s is found', (path, text) => {
  expect(importsOfTests([parseSource(path, text)])).toMatchObject([{ path, line: 1 }]);
});

test.each([
  "import { b } from './test/b.ts';",
  "import { b } from '../scripts/b.ts';",
  "import { b } from 'test/b.ts';",
])('nothing is found in %s', (text) => {
  expect(importsOfTests([parseSource('scripts/a.ts', text)])).toEqual([]);
});
