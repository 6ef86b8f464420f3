/** Files of Flipt: who gets what, as its server evaluates flags, and what is named. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type ImportedFlags, importedFlags } from '../../../support/imported-flags.ts';

const SAMPLE = join(import.meta.dirname, '../../../samples/import/flipt.yaml');

let flags: ImportedFlags;

beforeAll(async () => {
  flags = await importedFlags(await readFile(SAMPLE, 'utf8'));
});

const MANY = Array.from({ length: 1000 }, (_, index) => `user-${index}`);
const ADULT = { age: 20, checked: 'T', role: 'member' };

/** The share of the users for whom the flag has the value. */
function shareOf(flag: string, value: string | boolean, context: object = {}): number {
  return MANY.filter((userId) => flags.valueOf(flag, { ...context, userId }) === value).length / MANY.length;
}

test.each<[string, Readonly<Record<string, unknown>>, boolean]>([
  ['a rollout of false comes first', { userId: 'ann', role: 'guest' }, false],
  ['both segments', { userId: 'x', country: 'at', ...ADULT }, true],
  ['one of both segments, by its second constraint', { userId: 'user-3', language: 'de-CH', role: 'member' }, false],
  ['a number that is not allowed', { userId: 'user-3', country: 'de', ...ADULT, age: 99 }, false],
  ['a boolean of another spelling', { userId: 'user-3', country: 'de', ...ADULT, checked: 'yes' }, false],
  ['an empty property of a negation', { userId: 'bob', role: '' }, true],
  ['a segment after the threshold', { userId: 'bob', role: 'member' }, true],
])('banner: %s', (_, context, expected) => {
  expect(flags.valueOf('banner', context)).toBe(expected);
});

test('a threshold is a share, and the rollouts after it decide for the others', () => {
  expect(Math.abs(shareOf('banner', true) - 0.3)).toBeLessThan(0.05);
  expect(shareOf('banner', true, { role: 'guest' })).toBe(0);
  expect(Math.abs(shareOf('half', true) - 0.6)).toBeLessThan(0.05);
});

test.each<[string, string, Readonly<Record<string, unknown>>, string | boolean]>([
  ['a rule', 'theme', { userId: 'ann', app: 'x' }, 'dark'],
  ['the default variant', 'theme', { userId: 'x', app: 'x' }, 'light'],
  ['a rule without a distribution, with a default variant', 'theme', { ...ADULT, role: 'guest', app: 'x' }, 'light'],
  ['a rule without a distribution', 'price', { userId: 'ann' }, true],
  ['a flag without variants, with a rule that holds', 'toggle', { country: 'de' }, true],
  ['a flag without variants', 'toggle', { country: 'fr' }, false],
  ['a flag that is switched off', 'off', { userId: 'x' }, false],
  ['a flag with a date', 'dated', { userId: 'x' }, false],
  ['a threshold of false before another rollout', 'middle', { userId: 'ann' }, false],
])('%s', (_, flag, context, expected) => {
  expect(flags.valueOf(flag, context)).toBe(expected);
});

test('users without a share of a distribution have the default variant, or none', () => {
  expect(Math.abs(shareOf('theme', 'plain', { country: 'de', app: 'x' }) - 0.25)).toBeLessThan(0.05);
  expect(Math.abs(shareOf('theme', 'light', { country: 'de', app: 'x' }) - 0.75)).toBeLessThan(0.05);
  // An empty property is in the segment of old apps.
  expect(Math.abs(shareOf('theme', 'plain') - 0.25)).toBeLessThan(0.05);
  expect(Math.abs(shareOf('price', false) - 0.6)).toBeLessThan(0.05);
  expect(Math.abs(shareOf('price', 'low') - 0.1)).toBeLessThan(0.04);
});

test('segments become Segments', () => {
  expect([...flags.files.keys()].filter((path) => path.startsWith('segments/')).sort()).toEqual([
    'segments/adults.yaml',
    'segments/germans-1.yaml',
    'segments/germans-2.yaml',
    'segments/guests.yaml',
    'segments/old-apps.yaml',
    'segments/staff.yaml',
  ]);
  expect(flags.files.get('segments/germans-1.yaml')).toContain('description: Who reads German.');
});

test('each difference has a line', () => {
  expect(flags.unmapped.map((line) => line.replace(/(: .{20}).*/, '$1'))).toMatchInlineSnapshot(`
    [
      "namespace: A namespace of Flipt",
      "segments.new-users: Vexil has no such se",
      "flags.banner.metadata: Vexil has no metadat",
      "flags.banner: It is written as sha",
      "flags.banner: These operators need",
      "flags.half: It is written as sha",
      "flags.middle: Vexil has no such ru",
      "flags.theme: It is written as sha",
      "flags.theme: These operators need",
      "flags.price: It is written as sha",
      "flags.toggle: The flag has no vari",
      "flags.off.enabled: Switched off, the fl",
      "flags.dated: Vexil has no such ru",
    ]
  `);
});

test('files of one namespace share segments, and namespaces do not', async () => {
  const flag = (namespace: string, key: string) =>
    `namespace: ${namespace}\nflags: [{ key: ${key}, type: BOOLEAN_FLAG_TYPE, rollouts: [{ segment: { key: s, value: true } }] }]`;
  const segment = (namespace: string, value: string) =>
    `namespace: ${namespace}\nsegments: [{ key: s, constraints: [{ type: STRING_COMPARISON_TYPE, property: p, operator: eq, value: ${value} }] }]`;
  const both = await importedFlags(flag('a', 'one'), segment('a', 'x'), flag('b', 'two'), segment('b', 'y'));
  expect(['one', 'two'].map((name) => both.valueOf(name, { p: 'x' }))).toEqual([true, false]);
  expect([...both.files.keys()]).toEqual(expect.arrayContaining(['segments/a-s.yaml', 'segments/b-s.yaml']));
});
