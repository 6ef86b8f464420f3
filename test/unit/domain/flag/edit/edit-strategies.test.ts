/** Edits of strategies: what they change, what they share, what they refuse. */
import { describe, expect, test } from 'vitest';
import {
  addStrategy,
  changeStrategy,
  orderStrategies,
  removeStrategy,
  strategyIn,
} from '../../../../../src/domain/flag/edit/edit-strategies.ts';
import { strategyIdOf } from '../../../../../src/domain/flag/strategy-id.ts';
import type { FlagSpec } from '../../../../../src/schema/feature-flag.ts';
import { MAX_SORT_ORDER } from '../../../../../src/schema/strategy.ts';
import { dependents } from '../../dependents.ts';
import { flagObject, projectObject, strategyObject } from '../../objects.ts';
import { refusal } from '../../refusal.ts';

const plain = { name: 'default' };
const disabled = { name: 'default', disabled: true };
const place = { environment: 'production', flagContext: dependents() };
const one = (strategyId: string) => ({ ...place, strategyId });
const inProduction = (production: object, more: object = {}) =>
  flagObject('home/flag', { ...more, environments: { production, development: { strategies: { a: plain } } } });

describe('adding', () => {
  test.each([
    ['first, where there is none', {}, 0],
    ['after one that names no order', { a: plain }, 1],
    ['after the last', { a: { ...plain, sortOrder: 4 }, b: plain }, 5],
    ['beside the highest there can be', { a: { ...plain, sortOrder: MAX_SORT_ORDER } }, MAX_SORT_ORDER],
  ])('%s', (_, strategies, sortOrder) => {
    const next = addStrategy(inProduction({ strategies }), place, { key: 'new', strategy: plain });
    expect(next.environments?.['production']?.strategies).toEqual({ ...strategies, new: { ...plain, sortOrder } });
  });

  test('shares everything else, and does not change the switch', () => {
    const flag = inProduction({ strategies: { a: plain }, variants: [{ name: 'v' }] });
    const next = addStrategy(flag, place, { key: 'new', strategy: plain });
    const before = flag.spec.environments;
    expect(next.environments?.['development']).toBe(before?.['development']);
    expect(next.environments?.['production']?.variants).toBe(before?.['production']?.variants);
    expect(next.environments?.['production']?.strategies?.['a']).toBe(before?.['production']?.strategies?.['a']);
    expect(next.environments?.['production']).not.toHaveProperty('enabled');
  });

  test('works for an environment that the flag does not name', () => {
    const next = addStrategy(flagObject('home/flag'), place, { key: 'new', strategy: plain });
    expect(next.environments).toEqual({ production: { strategies: { new: { ...plain, sortOrder: 0 } } } });
  });

  const small = { ...place, flagContext: dependents(projectObject('home/shop', { environments: ['development'] })) };

  test.each([
    ['an archived flag', { archived: true }, place, plain, /^archived: /],
    ['no such environment', {}, { ...place, environment: 'moon' }, plain, /^not-found: .*"moon"/],
    [
      'no such environment, whatever the order',
      {},
      { ...place, environment: 'moon' },
      { ...plain, sortOrder: 0 },
      /^not-f/,
    ],
    ['an environment of other projects', {}, small, plain, /^invalid: You have not added the current environment/],
    ['no such type', {}, place, { name: 'odd' }, /^invalid: Could not find strategy type with name odd; known are app/],
  ])('is refused: %s', (_, more, where, strategy, want) => {
    expect(refusal(() => addStrategy(flagObject('home/flag', more), where, { key: 'new', strategy }))).toMatch(want);
  });
});

describe('finding', () => {
  const flag = inProduction({ strategies: { a: plain, '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11': disabled } });

  test('works by key and by the answered id', () => {
    const id = strategyIdOf({ flag: 'flag', environment: 'production', key: 'a' });
    for (const strategyId of ['a', id]) expect(strategyIn(flag, one(strategyId)).key).toBe('a');
    const uuid = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';
    expect(strategyIn(flag, one(uuid)).key).toBe(uuid);
  });

  test.each(['b', '__proto__', 'constructor', ''])('%j is not found', (strategyId) => {
    expect(refusal(() => strategyIn(flag, one(strategyId)))).toMatch(
      `not-found: Could not find strategy with id=${strategyId}`,
    );
  });

  test('does not accept the id of another environment', () => {
    const id = strategyIdOf({ flag: 'flag', environment: 'development', key: 'a' });
    expect(refusal(() => strategyIn(flag, one(id)))).toMatch(/^not-found: /);
  });
});

describe('the switch goes off with the last strategy that is not disabled', () => {
  const production = ({ environments }: FlagSpec) => environments?.['production'];

  test.each([
    ['removed', { a: plain }, false],
    ['removed, a disabled one stays', { a: plain, b: disabled }, false],
    ['removed, another stays', { a: plain, b: plain }, true],
    ['a disabled one removed', { a: disabled, b: plain }, true],
    ['a disabled one removed where none is left: it was not on', { a: disabled }, true],
  ])('%s', (_, strategies, enabled) => {
    expect(production(removeStrategy(inProduction({ enabled: true, strategies }), one('a')))).toMatchObject({
      enabled,
    });
  });

  test('if it is disabled', () => {
    const flag = inProduction({ enabled: true, strategies: { a: plain } });
    expect(production(changeStrategy(flag, one('a'), disabled))).toEqual({
      enabled: false,
      strategies: { a: disabled },
    });
  });

  test.each([{ enabled: false }, {}])('not if it is off already: %j', (said) => {
    const flag = inProduction({ ...said, strategies: { a: plain } });
    expect(production(removeStrategy(flag, one('a')))).toEqual({ ...said, strategies: {} });
  });
});

describe('changing', () => {
  test('a strategy of an unknown type may keep it, not get another', () => {
    const flag = inProduction({ strategies: { a: { name: 'odd' } } });
    const next = changeStrategy(flag, one('a'), { name: 'odd', title: 't' });
    expect(next.environments?.['production']?.strategies).toEqual({ a: { name: 'odd', title: 't' } });
    expect(refusal(() => changeStrategy(flag, one('a'), { name: 'odder' }))).toMatch(/^invalid: .*odder/);
  });
});

describe('a required parameter', () => {
  const country = strategyObject('home/country', { parameters: [{ name: 'a', required: true }, { name: 'b' }] });
  const known = { environment: 'production', flagContext: dependents(undefined, [country]) };
  const lacks = { name: 'country', parameters: { b: 1 } };
  const has = { name: 'country', parameters: { a: 1 } };
  const want = 'invalid: The strategy type "country" requires the parameter "a", which is missing or empty.';

  test('must be there when a strategy is added', () => {
    const add = (strategy: object) =>
      refusal(() => addStrategy(flagObject('home/flag'), known, { key: 'new', strategy: { ...plain, ...strategy } }));
    expect(add(lacks)).toBe(want);
    expect(add(has)).toBe('nothing was refused');
  });

  test.each([
    ['it is left out', has, lacks, want],
    ['the type changes', plain, lacks, want],
    ['it was missing before', lacks, { ...lacks, title: 't' }, want],
    ['it is mended', lacks, has, 'nothing was refused'],
    ['the type changes to another', lacks, { ...lacks, name: 'default' }, 'nothing was refused'],
  ])('must be there when a strategy is changed: %s', (_, before, next, wanted) => {
    const flag = inProduction({ strategies: { a: before } });
    expect(refusal(() => changeStrategy(flag, { ...known, strategyId: 'a' }, next))).toBe(wanted);
  });

  test('is not required for ordering and removing strategies', () => {
    const flag = inProduction({ strategies: { a: lacks } });
    expect(refusal(() => orderStrategies(flag, known, [{ id: 'a', sortOrder: 1 }]))).toBe('nothing was refused');
    expect(refusal(() => removeStrategy(flag, { ...known, strategyId: 'a' }))).toBe('nothing was refused');
  });
});

describe('ordering', () => {
  test('moves the named ones, and shares the others', () => {
    const flag = inProduction({ strategies: { a: plain, b: { ...plain, sortOrder: 1 }, c: plain } });
    const next = orderStrategies(flag, place, [
      { id: 'a', sortOrder: 2 },
      { id: 'b', sortOrder: 1 },
    ]);
    const [before, after] = [flag.spec, next].map((spec) => spec.environments?.['production']?.strategies);
    expect(after).toEqual({ ...before, a: { ...plain, sortOrder: 2 } });
    expect(after?.['b']).toBe(before?.['b']);
  });

  test('returns the flag itself if the order is unchanged', () => {
    const flag = inProduction({ strategies: { a: plain } });
    expect(orderStrategies(flag, place, [{ id: 'a', sortOrder: 0 }])).toBe(flag.spec);
    expect(orderStrategies(flag, place, [])).toBe(flag.spec);
  });
});

describe('parts that a defect hides are not overwritten', () => {
  const attempt = (spec: object) =>
    refusal(() => addStrategy(flagObject('home/flag', spec), place, { key: 'new', strategy: plain }));

  test.each([
    [
      'in the environment',
      { environments: { production: { enabled: 'yes' } } },
      /spec\.environments\.production\.enabled/,
    ],
    ['deep in it', { environments: { production: { strategies: { a: { name: 5 } } } } }, /strategies\.a\.name/],
    ['in all environments', { environments: 5 }, /spec\.environments cannot be read/],
  ])('%s', (_, spec, where) => {
    const message = attempt(spec);
    expect(message).toMatch(/^invalid: Cannot change the strategies in "production" of "flag": /);
    expect(message).toMatch(where);
  });

  test.each([
    ['in another environment', { environments: { development: { enabled: 'yes' } } }],
    ['beside the environments', { description: 5 }],
  ])('%s the defect does not matter', (_, spec) => {
    expect(attempt(spec)).toBe('nothing was refused');
  });
});
