/** Flag files of GO Feature Flag: who gets what, as its documentation says, and what is named. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type ImportedFlags, importedFlags } from '../../../support/imported-flags.ts';

const SAMPLE = join(import.meta.dirname, '../../../samples/import/goff.yaml');

let flags: ImportedFlags;

beforeAll(async () => {
  flags = await importedFlags(await readFile(SAMPLE, 'utf8'));
});

/** Users of each bucket, 1 to 100, as far as a thousand names reach. */
const MANY = Array.from({ length: 1000 }, (_, index) => `team-${index}`);

test.each<[string, Readonly<Record<string, unknown>>, boolean]>([
  ['the first rule', { userId: 'ann@EXAMPLE.com' }, true],
  ['a field that is missing in a negation', { userId: 'bob@example.com', beta: true, country: 'de' }, true],
  ['a negated query', { userId: 'eve@example.com', role: 'guest', version: '1.0.0' }, false],
  [
    '"or" and "and", which bind equally: an old version without a country is in the default rule',
    { version: '2.0.0', teamId: 'none' },
    true,
  ],
  ['the second rule', { version: '2.0.9', country: 'at', teamId: 'team-0' }, false],
  ['a rule that is disabled', { anonymous: true, version: '2.0.9', country: 'at' }, false],
  ['no bucket', { userId: 'x' }, false],
])('new-search: %s', (_, context, expected) => {
  expect(flags.valueOf('new-search', context)).toBe(expected);
});

test('a percentage is a share of the bucketing key', () => {
  const on = MANY.filter((teamId) => flags.valueOf('new-search', { teamId }) === true);
  expect(on.length / MANY.length).toBeCloseTo(0.3, 1);
  // These are not in the rule that comes before.
  expect(on.filter((teamId) => flags.valueOf('new-search', { teamId, version: '1.0.0', country: 'de' }))).toEqual([]);
});

test.each<[string, Readonly<Record<string, unknown>>, string | boolean]>([
  ['nobody of the rules', { userId: 'u-1' }, 'grey'],
  ['a field that is missing for "ne"', { userId: 'u-1', visits: 20 }, 'grey'],
  ['"ne" with too few visits', { userId: 'u-1', plan: 'pro', visits: 9 }, 'grey'],
  ['JsonLogic', { userId: 'u-7', groups: 'alpha,beta' }, 'blue'],
  ['JsonLogic of another user', { userId: 'u-8', groups: 'alpha,beta' }, 'grey'],
])('button: %s', (_, context, expected) => {
  expect(flags.valueOf('button', context)).toBe(expected);
});

test('percentages of variations are weights', () => {
  const values = MANY.map((userId) => flags.valueOf('button', { userId, plan: 'pro', visits: 10 }));
  expect(values.filter((value) => value === 'red').length / MANY.length).toBeCloseTo(0.255, 1);
  expect(new Set(values)).toEqual(new Set(['red', 'blue']));
});

test.each([
  ['ramped', {}, '2026-04-30T00:00:00Z', 0.1],
  ['ramped', {}, '2026-05-03T00:00:00Z', 0.3],
  ['ramped', {}, '2026-05-06T00:00:00Z', 0.5],
  ['fading', { group: 'x1' }, '2026-04-30T00:00:00Z', 1],
  ['fading', { group: 'x1' }, '2026-05-02T00:00:00Z', 0.5],
  ['fading', { group: 'x1' }, '2026-05-03T00:00:00Z', 0],
  ['fading', {}, '2026-04-30T00:00:00Z', 0],
  ['staged', {}, '2026-04-30T23:59:59Z', 0],
  ['staged', {}, '2026-05-01T00:00:00Z', 0.1],
  ['staged', { group: '7' }, '2026-05-01T00:00:00Z', 1],
  ['staged', {}, '2026-05-02T00:00:00Z', 0.5],
  ['staged', {}, '2026-05-03T12:00:00Z', 1],
  ['staged', {}, '2026-06-01T00:00:00Z', 0],
])('the rollout %s of %j at %s', (flag, context, at, expected) => {
  const on = MANY.filter((userId) => flags.valueOf(flag, { ...context, userId }, { at }) === true);
  expect(Math.abs(on.length / MANY.length - expected)).toBeLessThan(0.06);
});

test.each([
  ['2026-04-30T00:00:00Z', 0],
  ['2026-05-06T00:00:00Z', 0.5],
  ['2026-05-12T00:00:00Z', 1],
])('a progressive rollout of a variation at %s: others have the first one', (at, expected) => {
  const values = MANY.map((userId) => flags.valueOf('theme', { userId }, { at }));
  expect(Math.abs(values.filter((value) => value === 'dark').length / MANY.length - expected)).toBeLessThan(0.06);
  expect(values.filter((value) => value !== 'dark').every((value) => value === 'light')).toBe(true);
});

test.each([
  ['trial', '2026-04-30T00:00:00Z', false],
  ['trial', '2026-06-01T00:00:00Z', true],
  ['trial', '2026-07-01T00:00:00Z', false],
  ['paused', '2026-06-01T00:00:00Z', false],
  ['planned', '2026-10-01T00:00:00Z', false],
  ['nested', '2026-06-01T00:00:00Z', false],
])('%s at %s', (flag, at, expected) => {
  expect(flags.valueOf(flag, { userId: 'x' }, { at })).toBe(expected);
});

test('the field env is a field of the context', () => {
  expect(flags.valueOf('per-environment', { env: 'pro' })).toBe(true);
  expect(flags.valueOf('per-environment')).toBe(false);
});

test.each<[string, Readonly<Record<string, unknown>>, boolean]>([
  ['not (app ne 1.0.0)', { app: 'x' }, true],
  ['app ne 1.0.0', { app: 'x' }, false],
  ['anonymous pr and key pr', {}, true],
  ['anonymous ne true', {}, true],
  ['x ne true', { x: 'other' }, false],
  ['x ne 1', { x: 'other' }, false],
  ['x eq null', {}, true],
  ['n in [1, 2] and x co "B"', { n: 2, x: 'abc' }, true],
  ['{"starts_with": [{"var": "x"}, "a"]}', { x: 'a' }, false],
  ['x eq "a\\"b"', { x: 'a"b' }, false],
  ['x eq', { x: '' }, false],
])('the query %s', async (query, context, expected) => {
  const flag = { variations: { on: true, off: false }, targeting: [{ query, variation: 'on' }] };
  const imported = await importedFlags(JSON.stringify({ f: { ...flag, defaultRule: { variation: 'off' } } }));
  expect(imported.valueOf('f', { userId: 'u', ...context })).toBe(expected);
});

test('each difference has a line', () => {
  const lines = flags.unmapped.map((line) => line.replace(/(: .{20}).*/, '$1'));
  expect(lines).toMatchInlineSnapshot(`
    [
      "new-search.metadata: Vexil has no metadat",
      "new-search.targeting: It is written as sha",
      "new-search.targeting: GO Feature Flag comp",
      "button.targeting: It is written as sha",
      "button.targeting: These operators need",
      "button.targeting: GO Feature Flag comp",
      "ramped.targeting: It is written as sha",
      "fading.targeting: It is written as sha",
      "fading.targeting: GO Feature Flag comp",
      "theme.targeting: It is written as sha",
      "planned: Vexil has no such ru",
      "staged.targeting: It is written as sha",
      "nested: Vexil has no such ru",
      "per-environment.targeting: GO Feature Flag comp",
      "per-environment.targeting: GO Feature Flag adds",
    ]
  `);
  expect(flags.files.get('featureflags/new-search.yaml')).toContain('description: The second search.');
});
