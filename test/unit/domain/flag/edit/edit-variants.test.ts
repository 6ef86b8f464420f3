/** Edits of variants: which parts of the present list stay, and which lists count as equal. */
import { describe, expect, test } from 'vitest';
import { isSameList, setVariants, setVariantsIn } from '../../../../../src/domain/flag/edit/edit-variants.ts';
import type { FlagSpec } from '../../../../../src/schema/feature-flag.ts';
import type { Variant } from '../../../../../src/schema/variant.ts';

const payload = { type: 'string', value: 'v' } as const;
const overrides = [{ contextName: 'userId', values: ['1'] }];

test.each<[string, Variant[], Variant[], boolean]>([
  ['defaults said and left out', [{ name: 'a' }], [{ name: 'a', weightType: 'variable', stickiness: 'default' }], true],
  ['null and absent', [{ name: 'a', payload: null, overrides: null }], [{ name: 'a', overrides: [] }], true],
  ['weights of a variable variant', [{ name: 'a', weight: 1 }], [{ name: 'a', weight: 2 }], true],
  ['a fixed weight of 0, said and left out', [fix('a', 0)], [{ name: 'a', weightType: 'fix' }], true],
  ['members of a payload in another order', [{ name: 'a', payload }], [{ name: 'a', payload: turned(payload) }], true],
  ['fixed weights', [fix('a', 1)], [fix('a', 2)], false],
  ['fixed and variable', [fix('a', 1)], [{ name: 'a', weight: 1 }], false],
  ['another payload', [{ name: 'a', payload }], [{ name: 'a', payload: { ...payload, value: 'w' } }], false],
  ['a payload and none', [{ name: 'a', payload }], [{ name: 'a' }], false],
  ['other overrides', [{ name: 'a', overrides }], [{ name: 'a' }], false],
  ['another stickiness', [{ name: 'a' }], [{ name: 'a', stickiness: 'userId' }], false],
  ['another name', [{ name: 'a' }], [{ name: 'b' }], false],
  ['another order', [{ name: 'a' }, { name: 'b' }], [{ name: 'b' }, { name: 'a' }], false],
  ['one more', [{ name: 'a' }], [{ name: 'a' }, { name: 'b' }], false],
])('%s', (_, one, other, wanted) => {
  expect([isSameList(one, other), isSameList(other, one)]).toEqual([wanted, wanted]);
});

describe('for all environments', () => {
  const production = { enabled: true, variants: [{ name: 'p' }] };
  const spec: FlagSpec = { stale: true, variants: [{ name: 'a', payload }], environments: { production, empty: null } };

  test('removes the lists of environments, and everything else stays', () => {
    expect(setVariants(spec, [{ name: 'b' }])).toEqual({
      stale: true,
      variants: [{ name: 'b' }],
      environments: { production: { enabled: true }, empty: null },
    });
  });

  test('without variants writes an empty list if there were some, and nothing if there were none', () => {
    expect(setVariants({ variants: [{ name: 'a' }] }, [])).toEqual({ variants: [] });
    expect(setVariants({}, [])).toEqual({});
  });

  test('writes changed fields, and one with the same meaning stays unchanged', () => {
    const before: Variant = { name: 'a', weightType: 'variable', weight: 7, overrides: [] };
    const wanted: Variant = { name: 'a', weight: 1000, stickiness: 'userId', payload };
    expect(setVariants({ variants: [before] }, [wanted]).variants).toEqual([
      { ...before, stickiness: 'userId', payload },
    ]);
  });

  test('removes a weight without effect, and writes no nulls', () => {
    const wanted: Variant = { name: 'a', weightType: 'variable', weight: 300, payload: null };
    expect(setVariants({ variants: [fix('a', 300)] }, [wanted]).variants).toEqual([
      { name: 'a', weightType: 'variable' },
    ]);
    expect(setVariants({}, [wanted]).variants).toEqual([{ name: 'a', weightType: 'variable' }]);
  });
});

describe('in some environments', () => {
  test('gives the environment its own list, based on its list or on that of the flag', () => {
    const spec: FlagSpec = {
      variants: [{ name: 'a', weight: 5 }],
      environments: { one: { enabled: true, variants: [{ name: 'a', stickiness: 'default' }] }, three: {} },
    };
    expect(setVariantsIn(spec, ['one', 'two'], [{ name: 'a', weight: 1000 }])).toEqual({
      variants: spec.variants,
      environments: {
        one: { enabled: true, variants: [{ name: 'a', stickiness: 'default' }] },
        two: { variants: [{ name: 'a', weight: 5 }] },
        three: {},
      },
    });
  });
});

function fix(name: string, weight: number): Variant {
  return { name, weightType: 'fix', weight };
}

function turned({ type, value }: typeof payload): typeof payload {
  return { value, type };
}
