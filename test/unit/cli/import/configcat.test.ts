/** Configs of ConfigCat: who gets what, as its SDKs evaluate settings, and what is named. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type ImportedFlags, importedFlags } from '../../../support/imported-flags.ts';

const SAMPLE = join(import.meta.dirname, '../../../samples/import/configcat.json');

let flags: ImportedFlags;

beforeAll(async () => {
  flags = await importedFlags(await readFile(SAMPLE, 'utf8'));
});

const MANY = Array.from({ length: 1000 }, (_, index) => `user-${index}`);
const BETA = { Email: 'x@beta.example', Country: 'de' };

test.each<[string, string, Readonly<Record<string, unknown>>, string | boolean]>([
  ['an identifier', 'checkout', { userId: 'ann', age: 10, Country: 'us' }, true],
  ['a segment', 'checkout', { userId: 'x', ...BETA }, true],
  ['a segment whose second condition fails', 'checkout', { userId: 'x', ...BETA, Country: 'us' }, false],
  ['a segment whose second attribute is missing', 'checkout', { userId: 'x', Email: BETA.Email }, false],
  [
    'who is not in the segment, and in the rule after it',
    'checkout',
    { userId: 'x', ...BETA, Country: 'us', age: 17 },
    false,
  ],
  ['a version that is not allowed', 'checkout', { userId: 'x', app: '2.1.0' }, false],
  ['an empty attribute of a negation', 'colour', { plan: '', seats: 2 }, 'grey'],
  ['negations that hold', 'colour', { userId: 'x', plan: 'pro', seats: 2 }, 'gold'],
  ['a number that is none', 'colour', { plan: 'pro', seats: 'many' }, 'grey'],
  ['percentages without a user', 'colour', {}, 'grey'],
  ['percentages of an attribute that is missing', 'half', { userId: 'x' }, true],
  ['a time before', 'limit', { userId: 'x', since: 1767225599 }, '100'],
  ['a time after', 'limit', { userId: 'x', since: 1767225600 }, '10'],
  ['hashed values', 'hashed', { userId: 'x', Email: 'x' }, false],
  ['a segment with hashed values', 'hidden', { userId: 'x', Email: 'x' }, false],
  ['a prerequisite', 'child', { userId: 'ann' }, false],
])('%s', (_, flag, context, expected) => {
  expect(flags.valueOf(flag, context)).toBe(expected);
});

test.each<[string, string, string | boolean, (user: string) => object, number]>([
  ['in a rule', 'checkout', true, (userId) => ({ userId, app: '2.0.0' }), 0.2],
  ['after all rules', 'colour', 'red', (userId) => ({ userId }), 0.3],
  ['by another attribute', 'half', true, (company) => ({ company }), 0.5],
])('percentages %s are shares', (_, flag, value, contextOf, expected) => {
  const got = MANY.filter((user) => flags.valueOf(flag, { ...contextOf(user) }) === value);
  expect(Math.abs(got.length / MANY.length - expected)).toBeLessThan(0.05);
});

test('segments become Segments', () => {
  expect([...flags.files].filter(([path]) => path.startsWith('segments/'))).toEqual([
    [expect.any(String), expect.stringContaining('name: Beta users')],
  ]);
});

test('each difference has a line', () => {
  expect(flags.unmapped.map((line) => line.replace(/(: .{20}).*/, '$1'))).toMatchInlineSnapshot(`
    [
      "segments.Hidden: Vexil has no such se",
      "f.checkout: It is written as sha",
      "f.checkout: These operators need",
      "f.half: It is written as sha",
      "f.half: These operators need",
      "f.colour: It is written as sha",
      "f.colour: These operators need",
      "f.hashed: Vexil has no such ru",
      "f.hashed.r: ConfigCat has only h",
      "f.hidden: Vexil has no such ru",
      "f.child: Vexil has no such ru",
    ]
  `);
});

test('version 5 has texts between commas, and plain values', async () => {
  const old = await importedFlags(
    JSON.stringify({
      p: { u: 'https://cdn-global.configcat.com', r: 0 },
      f: {
        beta: {
          ...{ t: 0, v: false, i: '1', p: [{ o: 0, v: true, p: 25, i: '2' }] },
          r: [
            { o: 0, a: 'Email', t: 2, c: '@shop.example', v: true, i: '2' },
            { o: 1, a: 'Identifier', t: 0, c: 'ann, bob', v: true, i: '2' },
            { o: 2, a: 'age', t: 13, c: '17,5', v: false, i: '1' },
          ],
        },
        text: { t: 1, v: 'a', r: [{ o: 0, a: 'app', t: 4, c: '1.0.0, 1.0.1', v: 'b' }], p: [] },
      },
    }),
  );
  const values = [{ Email: 'x@shop.example' }, { userId: 'bob' }, { userId: 'x', age: 17 }];
  expect(values.map((context) => old.valueOf('beta', context))).toEqual([true, true, false]);
  const on = MANY.filter((userId) => old.valueOf('beta', { userId }) === true);
  expect(Math.abs(on.length / MANY.length - 0.25)).toBeLessThan(0.05);
  expect([old.valueOf('text', { app: '1.0.1' }), old.valueOf('text', { app: '1.0.2' })]).toEqual(['b', 'a']);
});
