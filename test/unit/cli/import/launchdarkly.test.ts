/** Answers of LaunchDarkly's REST API: who gets what, as its SDKs evaluate flags, and what is named. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type ImportedFlags, importedFlags } from '../../../support/imported-flags.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples/import');
const sample = (name: string) => readFile(join(SAMPLES, `launchdarkly-${name}.json`), 'utf8');

let flags: ImportedFlags;

beforeAll(async () => {
  flags = await importedFlags(await sample('flags'), await sample('segments'));
});

const MANY = Array.from({ length: 1000 }, (_, index) => `team-${index}`);

test.each<[string, Readonly<Record<string, unknown>>, boolean]>([
  ['a target', { userId: 'ann', country: 'de', appVersion: '1.0.0' }, true],
  ['a target of false, also in a segment', { userId: 'eve', plan: 'beta' }, false],
  ['the first rule, also in a segment', { userId: 'x', country: 'de', appVersion: '2.0.9', plan: 'beta' }, false],
  ['a negated clause about a missing field', { userId: 'x', appVersion: '2.0.9', plan: 'beta' }, true],
  ['a version with two numbers', { userId: 'x', country: 'de', appVersion: '2.1.0', plan: 'beta' }, true],
  ['the list of a segment', { userId: 'ida' }, true],
  ['who is excluded from a segment', { userId: 'max', plan: 'beta' }, false],
  ['a segment in a segment', { userId: 'y', email: 'y@shop.example' }, true],
  ['nobody of these', { userId: 'y' }, false],
])('checkout.v2: %s', (_, context, expected) => {
  expect(flags.valueOf('checkout.v2', context)).toBe(expected);
});

test('a rollout is a share of the field that it is bucketed by', () => {
  const on = MANY.filter((team) => flags.valueOf('checkout.v2', { userId: 'x', team }) === true);
  expect(Math.abs(on.length / MANY.length - 0.2)).toBeLessThan(0.05);
});

test.each<[string, Readonly<Record<string, unknown>>, string | boolean]>([
  ['nobody of the segment', { userId: 'ann' }, 'grey'],
  ['the prerequisite', { userId: 'eve', plan: 'beta' }, false],
  ['a pattern and a number', { userId: 'x', plan: 'beta', email: 'kim@example.com', age: 18 }, 'blue'],
])('colour: %s', (_, context, expected) => {
  expect(flags.valueOf('colour', context)).toBe(expected);
});

test('weights are shares', () => {
  const values = MANY.map((userId) => flags.valueOf('colour', { userId, plan: 'beta' }));
  expect(Math.abs(values.filter((value) => value === 'red').length / MANY.length - 0.605)).toBeLessThan(0.05);
  expect(new Set(values)).toEqual(new Set(['red', 'blue']));
});

test('each environment has its own switch and rules', () => {
  expect(flags.valueOf('checkout.v2', { userId: 'ann' }, { environment: 'test' })).toBe(false);
  expect(flags.valueOf('devices', { userId: 'd-1' })).toBe(false);
});

test('segments become Segments, of the project that the address names', () => {
  const segments = [...flags.files.keys()].filter((path) => path.startsWith('segments/'));
  expect(segments.sort()).toEqual([
    'segments/beta-1.yaml',
    'segments/beta-2.yaml',
    'segments/beta-3.yaml',
    'segments/staff.yaml',
  ]);
  expect(flags.files.get('segments/staff.yaml')).toContain('project: shop');
  expect(flags.files.get('featureflags/checkout.v2.yaml')).toContain('- beta-2');
  expect(flags.files.get('featureflags/checkout.v2.yaml')).toContain('- simple:payments');
});

test('each difference has a line', () => {
  expect(flags.unmapped.map((line) => line.replace(/(: .{20}).*/, '$1'))).toMatchInlineSnapshot(`
    [
      "flags.checkout.v2.environments.production: It is written as sha",
      "flags.checkout.v2.environments.production: These operators need",
      "flags.colour.environments.production: It is written as sha",
      "flags.colour.environments.production: These operators need",
      "flags.colour.environments.production.offVariation: Switched off, the fl",
      "flags.colour.environments.test.variants.blue: No rule gives this v",
      "flags.colour.environments.test.variants.grey: No rule gives this v",
      "flags.colour.environments.test.offVariation: Switched off, the fl",
      "flags.devices.environments.production: Vexil has no such ru",
      "flags.gone: The flag is archived",
      "segments.tenth: Vexil has no such se",
    ]
  `);
});

test('pages that are missing are named', async () => {
  const { items } = JSON.parse(await sample('flags'));
  const page = (from: number, to: number) => JSON.stringify({ totalCount: 4, items: items.slice(from, to) });
  const missing = expect.stringContaining('totalCount: The files have fewer flags');
  expect((await importedFlags(page(0, 2))).unmapped).toContainEqual(missing);
  expect((await importedFlags(page(0, 2), page(2, 4))).unmapped).not.toContainEqual(missing);
});

test('a segment that is not in the files leaves the flag off', async () => {
  const alone = await importedFlags(await sample('flags'));
  expect(alone.valueOf('checkout.v2', { userId: 'ann' })).toBe(false);
});

test('segments that differ between environments have the environment in their names', async () => {
  const other = (await sample('segments')).replaceAll('/production/', '/test/').replaceAll('@shop.example', '@test');
  const both = await importedFlags(await sample('flags'), await sample('segments'), other);
  expect([...both.files.keys()].filter((path) => path.startsWith('segments/staff')).sort()).toEqual([
    'segments/staff-production.yaml',
    'segments/staff-test.yaml',
  ]);
  expect(both.valueOf('checkout.v2', { userId: 'y', email: 'y@shop.example' })).toBe(true);
});

test('one flag, and the data of SDKs, are read too', async () => {
  const { items } = JSON.parse(await sample('flags'));
  const one = await importedFlags(JSON.stringify(items[2]));
  expect(one.files.has('featureflags/devices.yaml')).toBe(true);
  const segments = JSON.parse(await sample('segments')).items;
  const place = (flag: { key: string; variations: { value: unknown }[]; environments: Record<string, object> }) => [
    flag.key,
    { ...flag.environments['production'], key: flag.key, variations: flag.variations.map(({ value }) => value) },
  ];
  const served = await importedFlags(
    JSON.stringify({
      flags: Object.fromEntries([place(items[0]), place(items[1])]),
      segments: Object.fromEntries(segments.map((segment: { key: string }) => [segment.key, segment])),
    }),
  );
  expect(served.valueOf('checkout.v2', { userId: 'ida' })).toBe(true);
  expect(served.valueOf('colour', { userId: 'ann' })).toBe('variation-2');
});
