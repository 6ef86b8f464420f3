/** The segments of strategies: ids of callers as names, and strategies that lack one. */
import { describe, expect, test } from 'vitest';
import { strategyIdOf } from '../../../../src/domain/flag/strategy-id.ts';
import { lackingSegments, segmentIdsOf, segmentNamesFor } from '../../../../src/domain/flag/strategy-segments.ts';
import { segmentedStrategies, strategiesWith } from '../../../../src/domain/flag/uses.ts';
import { Refusal } from '../../../../src/errors.ts';
import { flagObject, segmentObject } from '../objects.ts';

const segments = new Map([
  [1, segmentObject('home/everywhere')],
  [2, segmentObject('shop/near', { name: 'Near by' })],
  [3, segmentObject('home/other-project', { project: 'pay' })],
  [4, segmentObject('pay/far')],
]);
const namesOf = segmentNamesFor(flagObject('shop/f', { project: 'shop' }), {
  segment: (id) => segments.get(id),
  home: 'home',
  notFound: (id) => new Refusal('not-found', `none with ${id}`),
});

describe('names of ids', () => {
  test('are returned once each, in their order', () => {
    expect(namesOf([2, 1, 2])).toEqual(['Near by', 'everywhere']);
  });

  test.each([
    ['that no segment has', 9, 'none with 9'],
    ['of a segment of another project', 3, 'is for flags of another project than "shop"'],
    ['of a segment of another namespace', 4, 'none with 4'],
  ])('do not exist for an id %s', (_, id, message) => {
    expect(() => namesOf([1, id])).toThrow(message);
  });
});

test('ids are in ascending order, without segments that have none', () => {
  const ids = new Map([
    ['a', 7],
    ['b', 3],
  ]);
  expect(segmentIdsOf({ name: 'default', segments: ['a', 'gone', 'b'] }, (name) => ids.get(name))).toEqual([3, 7]);
});

const flag = flagObject('home/f', {
  environments: {
    production: { strategies: { b: { name: 'default', segments: ['vip'] }, a: { name: 'default' } } },
    development: { strategies: { c: { name: 'userWithId', segments: ['vip', 'beta'] } } },
  },
});

test('strategies that lack a segment are named by their keys', () => {
  const { production = {}, development = {} } = flag.spec.environments ?? {};
  const idOf = (name: string) => (name === 'vip' ? 1 : undefined);
  expect(lackingSegments(production ?? {}, idOf)).toEqual([]);
  expect(lackingSegments(development ?? {}, idOf)).toEqual(['c']);
});

test('strategies with a segment, by flag and environment', () => {
  const other = flagObject('home/a', {
    environments: { production: { strategies: { x: { name: 'default', segments: ['vip'] } } } },
  });
  const found = strategiesWith('vip', [flag, other]).map((one) => [one.flag.metadata.name, one.environment, one.key]);
  expect(found).toEqual([
    ['a', 'production', 'x'],
    ['f', 'development', 'c'],
    ['f', 'production', 'b'],
  ]);
  expect(segmentedStrategies(flag)).toEqual([
    { id: strategyIdOf({ flag: 'f', environment: 'production', key: 'b' }), names: ['vip'] },
    { id: strategyIdOf({ flag: 'f', environment: 'development', key: 'c' }), names: ['vip', 'beta'] },
  ]);
});
