/** The weights of variants. */
import { describe, expect, test } from 'vitest';
import { everyVariant, weigh } from '../../../../src/domain/flag/variants.ts';
import type { Variant } from '../../../../src/schema/variant.ts';
import { flagObject } from '../objects.ts';

const fix = (name: string, weight: number): Variant => ({ name, weightType: 'fix', weight });
const weights = (variants: readonly Variant[]) =>
  Object.fromEntries(weigh(variants).map((one) => [one.name, one.weight]));

describe('weights', () => {
  test.each<[string, Variant[], Record<string, number>]>([
    ['none', [], {}],
    ['one has everything', [{ name: 'a' }], { a: 1000 }],
    ['three: the rest goes to the first', [{ name: 'a' }, { name: 'b' }, { name: 'c' }], { a: 334, b: 333, c: 333 }],
    [
      'the first in the stored order, not by name',
      [{ name: 'c' }, { name: 'b' }, { name: 'a' }],
      { a: 333, b: 333, c: 334 },
    ],
    ['fixed ones stay', [{ name: 'a' }, fix('f', 200)], { a: 800, f: 200 }],
    [
      'the rest goes to the first variable one, also behind a fixed one',
      [fix('f', 1), { name: 'b' }, { name: 'a' }],
      { f: 1, b: 500, a: 499 },
    ],
    [
      'sent weights of variable ones do not count',
      [
        { name: 'a', weight: 7 },
        { name: 'b', weightType: 'variable' },
      ],
      { a: 500, b: 500 },
    ],
    ['fixed without a weight is nothing', [{ name: 'a' }, { name: 'f', weightType: 'fix' }], { a: 1000, f: 0 }],
    [
      'a stored list whose fixed ones take more than all',
      [{ name: 'a' }, fix('f', 700), fix('g', 700)],
      { a: 0, f: 700, g: 700 },
    ],
    ['a stored list without a variable one', [fix('f', 10)], { f: 10 }],
  ])('%s', (_, variants, want) => {
    expect(weights(variants)).toEqual(want);
  });

  test('the answer is by name, with defaults for absent fields, and everything else unchanged', () => {
    const payload = { type: 'string', value: 'v' } as const;
    expect(weigh([{ name: 'b', payload }, { name: 'B', stickiness: 'userId' }, { name: 'a' }])).toEqual([
      { name: 'B', weightType: 'variable', weight: 333, stickiness: 'userId' },
      { name: 'a', weightType: 'variable', weight: 333, stickiness: 'default' },
      { name: 'b', weightType: 'variable', weight: 334, stickiness: 'default', payload },
    ]);
  });
});

describe('all variants of a flag', () => {
  test('those of the flag, then those that only an environment has; by name', () => {
    const flag = flagObject('home/flag', {
      variants: [{ name: 'b' }, fix('x', 100)],
      environments: { production: { variants: [{ name: 'a' }, { name: 'b' }] }, development: null },
    });
    expect(everyVariant(flag).map(({ name, weight }) => [name, weight])).toEqual([
      ['a', 500],
      ['b', 900],
      ['x', 100],
    ]);
  });
});
