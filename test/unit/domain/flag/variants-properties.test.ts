/** Properties of every list of variants: the weights of valid ones; no invalid stored value is served. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setVariants, setVariantsIn } from '../../../../src/domain/flag/edit/edit-variants.ts';
import { variantsIn } from '../../../../src/domain/flag/flag-values.ts';
import { everyVariant, WHOLE, weigh } from '../../../../src/domain/flag/variants.ts';
import { compareText } from '../../../../src/domain/identity/names.ts';
import { isSameSpec } from '../../../../src/kube/write/merge-spec.ts';
import type { FlagSpec } from '../../../../src/schema/feature-flag.ts';
import { fixedWeight, type Variant, variantList } from '../../../../src/schema/variant.ts';
import { anyVariants } from '../../../support/any-variants.ts';
import { flagObject } from '../objects.ts';

const seed = 1000;
const list = anyVariants(100);
const filled = list.filter(({ length }) => length > 0);

const isFixed = ({ weightType }: Variant) => weightType === 'fix';
const weights = (variants: readonly Variant[]) => new Map(weigh(variants).map(({ name, weight }) => [name, weight]));

test('the lists are valid, some short and some long, some with fixed weights that leave almost nothing', () => {
  const rules = variantList(100, '');
  const seen = fc.sample(list, { seed, numRuns: 300 });
  expect(seen.filter((variants) => !rules.safeParse(variants).success)).toEqual([]);
  const lengths = seen.map(({ length }) => length);
  expect([Math.min(...lengths), Math.max(...lengths) > 60]).toEqual([0, true]);
  expect(Math.max(...seen.map(fixedWeight))).toBeGreaterThan(950);
});

describe('weights of a valid list', () => {
  test('they sum to 1000', () => {
    const sum = (variants: readonly Variant[]) => weigh(variants).reduce((total, { weight }) => total + weight, 0);
    fc.assert(
      fc.property(filled, (variants) => {
        expect(sum(variants)).toBe(WHOLE);
      }),
      { seed, numRuns: 400 },
    );
  });

  test('fixed ones are unchanged', () => {
    fc.assert(
      fc.property(list, (variants) => {
        const found = weights(variants);
        for (const { name, weight } of variants.filter(isFixed)) expect(found.get(name)).toBe(weight);
      }),
      { seed },
    );
  });

  test('variable ones share the rest evenly; the remainder goes one by one to the first in the sent order', () => {
    fc.assert(
      fc.property(filled, (variants) => {
        const found = weights(variants);
        const fixed = variants.filter(isFixed).reduce((sum, { weight = 0 }) => sum + weight, 0);
        const shares = variants.filter((one) => !isFixed(one)).map(({ name }) => found.get(name));
        const share = Math.floor((WHOLE - fixed) / shares.length);
        const over = WHOLE - fixed - share * shares.length;
        expect(shares).toEqual(shares.map((_, index) => (index < over ? share + 1 : share)));
      }),
      { seed },
    );
  });

  test('the place of the fixed ones has no effect', () => {
    const placed = filled.chain((variants) =>
      fc.tuple(fc.constant(variants), fc.array(fc.nat(), { minLength: variants.length, maxLength: variants.length })),
    );
    fc.assert(
      fc.property(placed, ([variants, places]) => {
        const moved = variants.filter((one) => !isFixed(one));
        for (const [index, one] of variants.entries()) {
          if (isFixed(one)) moved.splice((places[index] ?? 0) % (moved.length + 1), 0, one);
        }
        expect(weights(moved)).toEqual(weights(variants));
      }),
      { seed },
    );
  });

  test('the answer is ordered by name, and each variant keeps its fields', () => {
    fc.assert(
      fc.property(list, (variants) => {
        const answer = weigh(variants);
        expect(answer.map(({ name }) => name)).toEqual(variants.map(({ name }) => name).toSorted(compareText));
        const carried = ({ name, payload, overrides }: Variant) => ({ name, payload, overrides });
        const sorted = variants.toSorted((a, b) => compareText(a.name, b.name));
        expect(answer.map(carried)).toEqual(sorted.map(carried));
      }),
      { seed },
    );
  });
});

test('for any stored list, no answer has a weight that is negative, above 1000 or not whole', () => {
  const nonsense = fc.oneof(
    fc.array(
      fc.record(
        {
          name: fc.constantFrom('a', 'b', 'c', '', 7),
          weightType: fc.constantFrom('fix', 'fix', 'variable', 'other', null),
          weight: fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.constantFrom(-5, 0.5, 1e9, '500', null)),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 6 },
    ),
    fc.jsonValue(),
  );
  const counts = { shown: 0, leftOut: 0 };
  fc.assert(
    fc.property(nonsense, nonsense, (variants, own) => {
      const flag = flagObject('home/flag', { variants, environments: { production: { variants: own } } });
      const answers = [...everyVariant(flag), ...weigh(variantsIn(flag, 'production'))];
      counts[flag.defects.length > 0 ? 'leftOut' : 'shown'] += 1;
      for (const { weight } of answers) {
        expect(Number.isInteger(weight) && weight >= 0 && weight <= WHOLE, JSON.stringify(answers)).toBe(true);
      }
    }),
    { seed, numRuns: 3000 },
  );
  expect(Math.min(counts.shown, counts.leftOut)).toBeGreaterThan(30);
});

describe('edits', () => {
  const own = fc.option(anyVariants(20), { nil: undefined });
  const spec = fc.record({ all: own, production: own }).map(({ all, production }): FlagSpec => {
    const environments = { production: { enabled: true, ...(production && { variants: production }) } };
    return { description: 'kept', ...(all && { variants: all }), environments };
  });

  test('for all environments: each has the wanted list, and repeating the edit changes nothing', () => {
    fc.assert(
      fc.property(spec, list, (before, wanted) => {
        const after = setVariants(before, wanted);
        const flag = flagObject('home/flag', after);
        expect(weights(variantsIn(flag, 'production'))).toEqual(weights(wanted));
        expect(weights(variantsIn(flag, 'development'))).toEqual(weights(wanted));
        expect(after).toMatchObject({ description: 'kept', environments: { production: { enabled: true } } });
        expect(isSameSpec(after, setVariants(after, wanted))).toBe(true);
        expect(isSameSpec(after, setVariants(after, weigh(after.variants ?? []).toSorted(byPlaceIn(wanted))))).toBe(
          true,
        );
      }),
      { seed },
    );
  });

  test('for one environment: it has the wanted list, and the others keep theirs', () => {
    fc.assert(
      fc.property(spec, list, (before, wanted) => {
        const after = setVariantsIn(before, ['production'], wanted);
        const flag = flagObject('home/flag', after);
        expect(weights(after.environments?.['production']?.variants ?? [])).toEqual(weights(wanted));
        expect(variantsIn(flag, 'development')).toEqual(before.variants ?? []);
        expect(isSameSpec(after, setVariantsIn(after, ['production'], wanted))).toBe(true);
      }),
      { seed },
    );
  });

  function byPlaceIn(wanted: readonly Variant[]) {
    const place = new Map(wanted.map(({ name }, index) => [name, index]));
    return (a: Variant, b: Variant) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0);
  }
});
