/** The environment document and exports of Flagsmith: who gets what, as its SDKs evaluate it, and what is named. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type ImportedFlags, importedFlags } from '../../../support/imported-flags.ts';

const SAMPLE = join(import.meta.dirname, '../../../samples/import/flagsmith.json');

let flags: ImportedFlags;

beforeAll(async () => {
  flags = await importedFlags(await readFile(SAMPLE, 'utf8'));
});

const MANY = Array.from({ length: 1000 }, (_, index) => `user-${index}`);
const ADULT = { userId: 'x', age: 18, country: 'at' };
const NEW_APP = { app: '2.1.1', device: 'phone' };

test.each<[string, string, Readonly<Record<string, unknown>>, string | boolean]>([
  ['an identity, before all segments', 'checkout', { ...NEW_APP, userId: 'bob' }, true],
  ['a segment', 'checkout', ADULT, true],
  ['a segment of a higher priority that is off', 'checkout', { ...ADULT, ...NEW_APP }, false],
  ['a condition of none that holds', 'checkout', { ...ADULT, email: 'x@spam.example' }, false],
  ['a trait that is missing', 'checkout', { userId: 'x', country: 'de' }, false],
  ['a version that is not greater', 'checkout', { ...ADULT, ...NEW_APP, app: '2.1.0' }, true],
  ['the value of an identity', 'colour', { ...NEW_APP, userId: 'ann' }, 'gold'],
  ['the value of the first segment by priority', 'colour', { ...ADULT, ...NEW_APP }, 'blue'],
  ['the value of another segment', 'colour', ADULT, 'green'],
  ['the value of the environment', 'colour', { userId: 'x' }, 'grey'],
  ['a number', 'limit', { userId: 'x' }, '10'],
  ['a segment that is off, of a feature with a value', 'limit', ADULT, false],
  ['a condition without a constraint', 'odd', { userId: 'x', number: 3 }, false],
  ['negations', 'perks', { userId: 'x', plan: 'pro', email: 'kim@shop.example' }, true],
  ['a missing trait of a negation', 'perks', { userId: 'x', email: 'kim@shop.example' }, false],
  [
    'a trait that must not be there',
    'perks',
    { userId: 'x', plan: 'pro', email: 'kim@shop.example', banned: '' },
    false,
  ],
  ['a feature that is off', 'remote', { userId: 'x' }, false],
  ['options without an identity', 'ab', {}, 'control'],
])('%s', (_, flag, context, expected) => {
  expect(flags.valueOf(flag, context)).toBe(expected);
});

test('a percentage of a segment is a share of those for whom its other conditions hold', () => {
  const on = MANY.filter((userId) => flags.valueOf('slow', { userId, plan: 'team' }) === true);
  expect(Math.abs(on.length / MANY.length - 0.3)).toBeLessThan(0.05);
  expect(MANY.filter((userId) => flags.valueOf('slow', { userId, plan: 'free' }) === true)).toEqual([]);
});

test('options are shares, and the others have the value of the environment', () => {
  const values = MANY.map((userId) => flags.valueOf('ab', { userId }));
  const shares = ['a', 'b', 'control'].map((name) => values.filter((value) => value === name).length / MANY.length);
  for (const [index, share] of [0.2, 0.3, 0.5].entries())
    expect(Math.abs((shares[index] ?? 0) - share)).toBeLessThan(0.05);
});

test('segments become Segments', () => {
  expect(
    [...flags.files].filter(([path]) => path.startsWith('segments/')).map(([, text]) => /name: (.*)/.exec(text)?.[1]),
  ).toHaveLength(4);
  expect(flags.files.get('featureflags/checkout.yaml')).toContain('- Adults in Germany-1');
});

test('each difference has a line', () => {
  expect(flags.unmapped.map((line) => line.replace(/(: .{20}).*/, '$1'))).toMatchInlineSnapshot(`
    [
      "segments.Odd ids: Vexil has no such se",
      "features.checkout: These operators need",
      "features.colour: These operators need",
      "features.slow: It is written as sha",
      "features.odd: Vexil has no such ru",
      "features.perks: These operators need",
      "features.ab: It is written as sha",
      "features.remote.feature_state_value: Flagsmith gives the ",
    ]
  `);
});

test('an export of features has switches, values and options', async () => {
  const feature = (name: string, more: object) => ({
    ...{
      name,
      default_enabled: false,
      is_server_key_only: false,
      initial_value: null,
      type: 'STANDARD',
      multivariate: [],
    },
    ...more,
  });
  const option = { percentage_allocation: 100, default_percentage_allocation: 0, value: 'new', type: 'unicode' };
  const list = [
    feature('plain', { enabled: true, value: null }),
    feature('secret', { enabled: true, value: true, is_server_key_only: true }),
    feature('split', { enabled: true, value: 'old', type: 'MULTIVARIATE', multivariate: [option] }),
  ];
  const exported = await importedFlags(JSON.stringify(list));
  expect(['plain', 'secret', 'split'].map((name) => exported.valueOf(name, { userId: 'x' }))).toEqual([
    true,
    'true',
    'new',
  ]);
  expect(exported.unmapped).toEqual([
    expect.stringContaining('features.secret: The feature is for server-side keys alone'),
    expect.stringContaining('features.split: It is written as shares'),
  ]);
});

test('what SDKs get without an identity is read too', async () => {
  const list = [{ id: 1, feature: { id: 1, name: 'plain', type: 'STANDARD' }, enabled: true, feature_state_value: 7 }];
  expect((await importedFlags(JSON.stringify(list))).valueOf('plain')).toBe('7');
});

test('a JSON list of other than texts and numbers ends no import', async () => {
  const text = await readFile(SAMPLE, 'utf8');
  const odd = text.replace('"value": "pro,team"', String.raw`"value": "[{\"toString\":1}]"`);
  expect(odd).not.toBe(text);
  const imported = await importedFlags(odd);
  expect(imported.valueOf('slow', { userId: 'x', plan: 'team' })).toBe(false);
});
