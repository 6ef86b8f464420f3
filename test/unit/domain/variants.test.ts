/** The weights of variants. */
import { describe, expect, test } from 'vitest';
import { everyVariant, WHOLE, weigh } from '../../../src/domain/variants.ts';
import type { Variant } from '../../../src/schema/variant.ts';
import { flagObject } from './objects.ts';

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

  test('the answer is by name, with defaults for what is absent, and everything else as it was', () => {
    const payload = { type: 'string', value: 'v' } as const;
    expect(weigh([{ name: 'b', payload }, { name: 'B', stickiness: 'userId' }, { name: 'a' }])).toEqual([
      { name: 'B', weightType: 'variable', weight: 333, stickiness: 'userId' },
      { name: 'a', weightType: 'variable', weight: 333, stickiness: 'default' },
      { name: 'b', weightType: 'variable', weight: 334, stickiness: 'default', payload },
    ]);
  });

  test('whatever the list: it sums to 1000, fixed ones are untouched, shares differ by one at most and fall in order', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const variants = aList(seed);
      const found = new Map(weigh(variants).map((one) => [one.name, one.weight]));
      const fixed = variants.filter(({ weightType }) => weightType === 'fix');
      const shares = variants.filter(({ weightType }) => weightType !== 'fix').map(({ name }) => found.get(name) ?? -1);
      expect(
        [...found.values()].reduce((sum, weight) => sum + weight, 0),
        `seed ${seed}`,
      ).toBe(WHOLE);
      expect(fixed.map(({ name }) => found.get(name))).toEqual(fixed.map(({ weight }) => weight));
      expect(shares).toEqual(shares.toSorted((a, b) => b - a));
      expect((shares[0] ?? 0) - (shares.at(-1) ?? 0)).toBeLessThanOrEqual(1);
    }
  });
});

/** Up to 40 variants with at least one variable one, the fixed ones below 1000 together; the same for the same seed. */
function aList(seed: number): Variant[] {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  let left = WHOLE - 1;
  const rest = Array.from({ length: below(40) }, (_, index): Variant => {
    const name = `v${below(1000)}-${index}`;
    if (below(2) === 0) return { name, weight: below(1001) };
    const weight = below(Math.min(left, 100) + 1);
    left -= weight;
    return fix(name, weight);
  });
  rest.splice(below(rest.length + 1), 0, { name: 'always' });
  return rest;
}

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
