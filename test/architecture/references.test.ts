/** Tests that references lead to documents of the repository. Each rule is also run on text that breaks it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deadLinks, papers, readDocuments } from './references.ts';
import { inWords, readTexts } from './source.ts';

type Files = Readonly<Record<string, string>>;

const root = resolve(import.meta.dirname, '../..');
const src = (path: string, text: string): Files => ({ [`src/${path}`]: text });

describe('references lead to documents of the repository', () => {
  const inTexts = (files: Files) => {
    const texts = Object.entries(files).map(([path, text]) => ({ path, text }));
    return [...papers(texts), ...deadLinks(texts, (path) => path in files)].map(inWords);
  };
  // The path is put together here, because this file is checked too.
  const folder = 'docs'.concat('/');
  const page = { [`${folder}a.md`]: '# A page: `b` and c\n\n```sh\n# no heading\n```' };
  const link = (target: string): Files => ({ ...page, 'README.md': `[page](${folder}${target})` });
  const comment = (target: string): Files => ({ ...page, ...src('kube/a.ts', `/** See ${folder}${target}. */`) });

  test('in this project', () => {
    const texts = [
      ...readTexts(root, ['src', 'cli', 'console/src', 'scripts', 'site', 'test']),
      ...readDocuments(root),
    ];
    const findings = [...papers(texts), ...deadLinks(texts, (path) => existsSync(resolve(root, path)))];
    expect(findings.map(inWords).join('\n')).toBe('');
  });

  test.each([
    ...['facts', 'Product', 'style', 'review'].map((paper) => src('kube/a.ts', `// As ${paper} `.concat('§3 says.'))),
    comment('b.md'),
    comment('a.md#b'),
    comment('a.md#no-heading'),
    link('a.md#b'),
    link('c'),
    { 'README.md': '[page](#top)' },
  ])('a breach is found: %j', (files) => {
    expect(inTexts(files)).toEqual([expect.stringMatching(/^\S+:1 .+ \(.+\)$/)]);
  });

  test.each([
    src('kube/a.ts', '// The facts of RFC 9110 §8: a product, a style.'),
    comment('a.md'),
    comment('a.md#a-page-b-and-c'),
    link('a.md'),
    link('a.md#a-page-b-and-c'),
    { 'README.md': '[elsewhere](https://example.com/b.md#c)\n```\n[code](b.md)\n```' },
  ])('nothing is found: %j', (files) => {
    expect(inTexts(files)).toEqual([]);
  });
});
