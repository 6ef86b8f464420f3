/** Names of objects and ids of strategies. */
import { describe, expect, test } from 'vitest';
import { isUuid, strategyIdOf } from '../../../../src/domain/flag/strategy-id.ts';
import {
  compareAge,
  compareText,
  nameOwnerOf,
  objectNamesFor,
  wireNameOf,
} from '../../../../src/domain/identity/names.ts';
import { matchesNaming } from '../../../../src/domain/identity/naming-pattern.ts';
import { flagObject } from '../objects.ts';

describe('objects that the API creates', () => {
  test.each([
    ['new-checkout', ['new-checkout', 'new-checkout-58da5fe42e']],
    ['a.b', ['a.b', 'a-b-2e7336dc8e']],
    ['NewCheckout', ['newcheckout-d1556075ef']],
    ['a..b', ['a-b-f62b42414c']],
    ['x-0123456789', ['x-0123456789-a3fc88ed89']],
    ['zed-0123456789a', ['zed-0123456789a', 'zed-0123456789a-8b8785688b']],
    ['~', ['x-7ace431cb6']],
    ['...', ['x-ab5df625bc']],
    ['a~b!', ['a-b-1a1ca6266e']],
    ['under_score', ['under-score-d8071166bb']],
    ['.hidden', ['hidden-1692419006']],
    ['ends-', ['ends-9b2db42fd3']],
    ['0', ['0', '0-5feceb66ff']],
    ['to-012345678g', ['to-012345678g', 'to-012345678g-6b6dbf4242']],
    ['-', ['x-3973e022e9']],
    ['A'.repeat(100), [`${'a'.repeat(100)}-d82c6aa133`]],
  ])('%s may have the name %j', (wireName, want) => {
    const names = objectNamesFor(wireName);
    expect(names).toEqual(want);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/);
  });

  test('wire names that differ in what an object name cannot express get different names', () => {
    const names = ['Checkout', 'CHECKOUT', 'check.out', 'check!out', 'check~out'].flatMap((name) =>
      objectNamesFor(name).slice(-1),
    );
    expect(new Set(names).size).toBe(5);
  });
});

describe('the owner of a name', () => {
  const at = (place: string, creationTimestamp: string) => flagObject(place, {}, { creationTimestamp });
  const [older, younger] = [at('b/x', '2026-01-01T00:00:00Z'), at('a/x', '2026-01-01T00:00:01Z')];

  test.each([
    ['the older one', [younger, older], older],
    [
      'of one second, the smaller namespace',
      [at('b/a', '2026-01-01T00:00:00Z'), older, at('a/z', '2026-01-01T00:00:00Z')],
      'a/z',
    ],
    ['of one second and namespace, the smaller name', [at('b/y', '2026-01-01T00:00:00Z'), older], 'b/x'],
    ['none, where there is no object', [], undefined],
  ])('%s', (_, objects, want) => {
    for (const order of [objects, objects.toReversed()]) {
      const found = nameOwnerOf(order);
      const place =
        typeof want === 'string' || want === undefined ? want : `${want.metadata.namespace}/${want.metadata.name}`;
      expect(found && `${found.metadata.namespace}/${found.metadata.name}`).toBe(place);
    }
  });

  test('the wire name is spec.name, otherwise the name of the object', () => {
    expect([wireNameOf(flagObject('a/x')), wireNameOf(flagObject('a/x', { name: 'X' }))]).toEqual(['x', 'X']);
  });

  test('texts are ordered by code unit everywhere', () => {
    expect(['ä', 'b', 'B', 'a'].toSorted(compareText)).toEqual(['B', 'a', 'b', 'ä']);
    expect(compareAge(older, older)).toBe(0);
  });
});

describe('ids of strategies', () => {
  test.each([
    ['new-checkout', 'production', 'staff-first', 'eaaca630-9c0a-5eaf-aac9-fe5d66d9cf26'],
    ['Größe', 'dev', 'a', '87b0a441-e7b2-5436-a1e0-4452e810f26b'],
  ])('are the UUIDv5 of another implementation (%s %s %s)', (flag, environment, key, want) => {
    expect(strategyIdOf({ flag, environment, key })).toBe(want);
  });

  test('a key that is a UUID is the id', () => {
    const key = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';
    expect(strategyIdOf({ flag: 'a', environment: 'b', key })).toBe(key);
  });

  test('parts are separated', () => {
    const one = strategyIdOf({ flag: 'a', environment: 'bc', key: 'd' });
    expect(strategyIdOf({ flag: 'ab', environment: 'c', key: 'd' })).not.toBe(one);
    expect(strategyIdOf({ flag: 'a', environment: 'b', key: 'cd' })).not.toBe(one);
  });

  test.each(['0FCE2B2F-5D5D-4CF9-9B3E-3F6A7C0F1A11', '0fce2b2f5d5d4cf99b3e3f6a7c0f1a11', 'staff-first', ''])(
    '%j is no UUID',
    (text) => {
      expect(isUuid(text)).toBe(false);
    },
  );
});

describe('naming patterns', () => {
  test.each([
    ['a+', 'aaa', true],
    ['a+', 'baaa', false],
    ['a|b', 'ab', false],
    ['(?=a)', 'a', undefined],
    ['(', 'a', undefined],
  ])('%s on %s: %s', (pattern, name, want) => {
    expect(matchesNaming(pattern, name)).toBe(want);
  });

  test('a pattern that is slow in backtracking engines ends at once', () => {
    expect(matchesNaming('(a+)+$', `${'a'.repeat(100)}!`)).toBe(false);
  });

  test('a pattern whose repetitions multiply is not used', () => {
    expect(matchesNaming('([ab]{0,9}){99}c', 'ac')).toBeUndefined();
    expect(matchesNaming('((a|b|ab){0,9}){0,9}c', 'ac')).toBe(true);
  });

  test('more patterns than the cache holds change no answer', () => {
    for (let index = 0; index < 1500; index += 1) expect(matchesNaming(`n${index}`, `n${index}`)).toBe(true);
    expect(matchesNaming('n0', 'n1')).toBe(false);
  });
});
