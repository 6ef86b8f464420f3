/** Texts that are refused, each with one message at its place. */

import { expect, test } from 'vitest';
import { LineCounter } from 'yaml';
import { readYamlDocuments } from '../../../src/model/yaml/yaml.ts';
import { quietMsOf } from '../../support/cpu-time.ts';

const deep = `a:\n  ${'['.repeat(50_000)}`;
const bomb = [
  'a: &a [1, 2, 3]',
  ...[...'abcdef'].map((name, at, all) => `b${at}: &${all[at + 1] ?? 'z'} [${`*${name}, `.repeat(10)}]`),
];

test.each([
  ['deep lists', deep, 'lists and maps are nested more than 200 levels deep', [2, 202]],
  ['deep lists in JSON', `{"a": ${'['.repeat(3000)}${']'.repeat(3000)}}`, 'nested more than 200 levels deep', [1, 206]],
  ['a deep document after another', `a: 1\n---\n${'- '.repeat(3000)}1\n`, 'nested more than 200 levels', [3, 401]],
  ['aliases of aliases', bomb.join('\n'), 'up to *c, aliases stand for too many values', [4, 17]],
  ['an alias of nothing', 'a: 1\nb: *c\n', 'there is no &c above', [2, 4]],
])('%s', (_, text, message, [line, col]) => {
  for (const rules of ['kubectl', 'core'] as const) {
    const lines = new LineCounter();
    const faults = readYamlDocuments(text, { rules, lines }).filter((document) => 'message' in document);
    expect(faults.map((fault) => [fault.message, lines.linePos(fault.offset)])).toEqual([
      [expect.stringContaining(message), { line, col }],
    ]);
  }
});

test.each([
  [
    'a long name between brackets',
    `a: {b: 1,\n  ${'k'.repeat(1100)}: 2}\n`,
    'names of more than 1024 characters',
    [2, 3],
  ],
  ['a colon in the next line', 'a: {b: 1,\n  c\n  : 2}\n', 'write them in one', [2, 3]],
  ['a quote that ends nowhere', "a: 1\nb: 'it''", 'the quote at the end of this text is missing', [2, 4]],
  ['a slash after a backslash', 'a: 1\nb: "x\\/y"\n', 'kubectl reads no \\/ in YAML', [2, 4]],
  ['a tab before the first object', '# a\n\t# b\na: 1\n', 'kubectl reads no tab', [2, 1]],
  ['--- after the sign of a block', 'a: 1\nb: | ---\n', 'begin the text in the line below |', [2, 4]],
  ['an integer with a zero before it', 'a: 1\nb: !!int 09\n', 'the tag !!int is not read here', [2, 10]],
  ['an integer beyond 64 bits', 'b: !!int 19223372036854775808\n', 'the tag !!int is not read here', [1, 10]],
  ['a long anchor', `a: 1\nb: &x.${'y'.repeat(1000)} 2\n`, `name &x.${'y'.repeat(47)}… at another place`, [2, 4]],
])('%s is refused as kubectl does', (_, text, message, [line, col]) => {
  const lines = new LineCounter();
  const [fault] = readYamlDocuments(text, { rules: 'kubectl', lines });
  if (!fault || 'value' in fault) throw new Error('it is read');
  expect([fault.message, lines.linePos(fault.offset)]).toEqual([expect.stringContaining(message), { line, col }]);
});

test('1,500 aliases of one value are read', () => {
  const [document] = readYamlDocuments(`a: &a x\nb: [${'*a, '.repeat(1500)}]\n`, { rules: 'kubectl' });
  expect(document).toMatchObject({ value: { b: Array.from({ length: 1500 }, () => 'x') } });
});

test.each(['\t\n', ' \n---\n', '---\n]\n', "a: 'x''\n"])('a text of %j, again and again, takes little time', (part) => {
  const text = ' '.repeat(100_000) + part.repeat(100_000 / part.length);
  expect(quietMsOf(() => readYamlDocuments(text, { rules: 'kubectl' }), 1)).toBeLessThan(5_000);
});
