/** The payload of SDKs for a flag: a form that each SDK evaluates alike. */
import { describe, expect, test } from 'vitest';
import { effectOf } from '../../../../src/domain/flag/effect.ts';
import { presentClientFeature } from '../../../../src/wire/client/feature.ts';
import { dependents } from '../../domain/dependents.ts';
import { flagObject } from '../../domain/objects.ts';

function present(spec: object, environment = 'production') {
  const flag = flagObject('home/f', spec);
  return presentClientFeature({ flag, effect: effectOf(flag, dependents()) }, environment);
}
const withStrategies = (...strategies: readonly object[]) =>
  present({
    environments: {
      production: { enabled: true, strategies: Object.fromEntries(strategies.map((one, key) => [`s${key}`, one])) },
    },
  });
const parametersOf = (name: string, parameters?: object) =>
  withStrategies({ name, ...(parameters && { parameters }) }).strategies[0]?.parameters;
const constraintOf = (constraint: object) =>
  withStrategies({ name: 'default', constraints: [constraint] }).strategies[0]?.constraints[0];

describe('a flag', () => {
  test('has every field that an SDK may read, also for an empty spec', () => {
    expect(present({})).toEqual({
      name: 'f',
      type: 'release',
      enabled: false,
      project: 'shop',
      stale: false,
      impressionData: false,
      description: null,
      strategies: [],
      variants: [],
    });
  });

  test('is on if it is in effect, and off if only its switch is on', () => {
    const on = { enabled: true, strategies: { all: { name: 'default' } } };
    expect(present({ environments: { production: on } }).enabled).toBe(true);
    expect(present({ environments: { production: on } }, 'development').enabled).toBe(false);
    expect(present({ environments: { production: { enabled: true } } }).enabled).toBe(false);
    expect(present({ environments: { nowhere: on } }, 'nowhere').enabled).toBe(false);
  });

  test('names its parents, and variants only if the parent has to be on', () => {
    const dependencies = [
      { feature: 'a' },
      { feature: 'b', variants: ['blue'] },
      { feature: 'c', enabled: false, variants: ['blue'] },
    ];
    expect(present({ dependencies }).dependencies).toEqual([
      { feature: 'a', enabled: true },
      { feature: 'b', enabled: true, variants: ['blue'] },
      { feature: 'c', enabled: false },
    ]);
    expect(present({})).not.toHaveProperty('dependencies');
  });

  test('leaves disabled strategies out, keeps the order, and contains no ids', () => {
    const { strategies } = withStrategies(
      { name: 'default', sortOrder: 2, title: 't' },
      { name: 'userWithId', disabled: true },
      { name: 'userWithId', sortOrder: 1 },
    );
    expect(strategies.map(({ name }) => name)).toEqual(['userWithId', 'default']);
    expect(Object.keys(strategies[0] ?? {})).toEqual(['name', 'parameters', 'constraints', 'variants']);
  });

  test('is off when no strategy is left: SDKs take an empty list for on', () => {
    const unreadable = { name: 'flexibleRollout', parameters: { rollout: 100, groupId: 'a"b' } };
    expect(withStrategies(unreadable)).toMatchObject({ enabled: false, strategies: [] });
    expect(withStrategies(unreadable, { name: 'default' })).toMatchObject({
      enabled: true,
      strategies: [{ name: 'default' }],
    });
  });
});

describe('parameters', () => {
  test.each([
    ['flexibleRollout', undefined, { rollout: '0', groupId: 'f', stickiness: 'default' }],
    ['flexibleRollout', { rollout: 25 }, { rollout: '25', groupId: 'f', stickiness: 'default' }],
    ['flexibleRollout', { rollout: '12.5', groupId: null }, { rollout: '12', groupId: 'f', stickiness: 'default' }],
    [
      'flexibleRollout',
      { rollout: '100.0', groupId: '', stickiness: '' },
      { rollout: '100', groupId: '', stickiness: 'default' },
    ],
    ['flexibleRollout', { rollout: 1, groupId: 5 }, { rollout: '1', groupId: '5', stickiness: 'default' }],
    ['userWithId', { userIds: ' a, b ,,c\\,d' }, { userIds: 'a,b,d' }],
    ['userWithId', { userIds: ['a', 'b', 7] }, { userIds: 'a,b,7' }],
    ['remoteAddress', { IPs: '1.2.3.4, a"b,10.0.0.0/8' }, { IPs: '1.2.3.4,10.0.0.0/8' }],
    ['default', { a: null, b: true, c: { d: [1] }, e: 1.5 }, { a: '', b: 'true', c: '{"d":[1]}', e: '1.5' }],
    ['default', undefined, {}],
  ])('of %s %j', (name, given, wanted) => {
    expect(parametersOf(name, given)).toEqual(wanted);
  });

  test.each([{ groupId: 'a\\' }, { groupId: 'a"b' }, { stickiness: 'a"b' }, { stickiness: 'a\\' }])(
    'with %j the strategy is left out',
    (parameters) => {
      expect(parametersOf('flexibleRollout', { rollout: 100, ...parameters })).toBeUndefined();
    },
  );
});

describe('constraints', () => {
  const date = (value: string) => constraintOf({ contextName: 'currentTime', operator: 'DATE_AFTER', value })?.value;
  const number = (value: string) => constraintOf({ contextName: 'age', operator: 'NUM_GT', value })?.value;
  const version = (value: string) => constraintOf({ contextName: 'v', operator: 'SEMVER_GT', value })?.value;

  test('have every member that SDKs read', () => {
    expect(constraintOf({ contextName: 'userId', operator: 'IN', values: ['a'] })).toEqual({
      contextName: 'userId',
      operator: 'IN',
      values: ['a'],
      inverted: false,
      caseInsensitive: false,
    });
    expect(constraintOf({ contextName: 'age', operator: 'NUM_GT', value: '5', inverted: true })).toEqual({
      contextName: 'age',
      operator: 'NUM_GT',
      values: [],
      value: '5',
      inverted: true,
      caseInsensitive: false,
    });
  });

  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T10:20', '2026-01-31T10:20:00.000Z'],
    ['2026-01-31T10:20:30', '2026-01-31T10:20:30.000Z'],
    ['2026-01-31T10:20:30.1234567Z', '2026-01-31T10:20:30.123Z'],
    ['2026-01-31T00:20:30+02:00', '2026-01-30T22:20:30.000Z'],
    ['2026-02-30', undefined],
    ['2026-01-31T25:00:00Z', undefined],
    ['2026-01-31T1:2:3.4', undefined],
    ['0000-01-01T00:00:00+02:00', undefined],
  ])('the date %s is %s', (given, wanted) => {
    expect(date(given)).toBe(wanted);
  });

  test.each([
    ['.5', '0.5'],
    ['5.', '5'],
    ['+5', '5'],
    ['1E3', '1000'],
    ['1e400', undefined],
  ])('the number %s is %s', (given, wanted) => {
    expect(number(given)).toBe(wanted);
  });

  test.each([
    ['1.2.3', '1.2.3'],
    ['1.2.3-rc.1+b.5', '1.2.3-rc.1+b.5'],
    ['1.2.3-', undefined],
    ['1.2.3-a..b', undefined],
    ['1.2.3-01', undefined],
    ['99999999999999999999.0.0', undefined],
  ])('the version %s is %s', (given, wanted) => {
    expect(version(given)).toBe(wanted);
  });

  test.each([
    [{ contextName: 'a"b', operator: 'IN', values: ['x'] }],
    [{ contextName: 'a\\', operator: 'IN', values: ['x'] }],
    [{ contextName: 'userId', operator: 'IN', values: ['x', 'y\\'] }],
    [{ contextName: 'born', operator: 'DATE_AFTER', value: '2026-01-31T00:00:00.000Z' }],
  ])('with %j the strategy is left out', (constraint) => {
    expect(constraintOf(constraint)).toBeUndefined();
  });
});

describe('variants', () => {
  const names = (variants: readonly { readonly name: string }[]) => variants.map(({ name }) => name);

  test('of the flag: in the order of Unleash, weighted, with overrides', () => {
    const { variants } = present({ variants: [{ name: 'B' }, { name: 'a', weightType: 'fix', weight: 400 }] });
    expect(names(variants)).toEqual(['a', 'B']);
    expect(variants[1]).toEqual({
      name: 'B',
      weight: 600,
      weightType: 'variable',
      stickiness: 'default',
      overrides: [],
    });
  });

  test('of a strategy: all with its stickiness, without overrides', () => {
    const variants = [
      { name: 'b', stickiness: 'sessionId' },
      { name: 'a', stickiness: 'userId' },
    ];
    const [rollout, all] = withStrategies(
      { name: 'flexibleRollout', parameters: { rollout: 100, stickiness: 'random' }, variants },
      { name: 'default', variants },
    ).strategies;
    expect(rollout?.variants.map(({ stickiness }) => stickiness)).toEqual(['random', 'random']);
    expect(all?.parameters).toEqual({ groupId: 'f', stickiness: 'userId' });
    expect(all?.variants.map(({ stickiness }) => stickiness)).toEqual(['userId', 'userId']);
    expect(Object.keys(all?.variants[0] ?? {})).not.toContain('overrides');
  });
});
