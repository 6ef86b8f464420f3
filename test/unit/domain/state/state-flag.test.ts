/** A flag as a state document describes it: what stays unchanged, what is removed, and the order. */
import { describe, expect, test } from 'vitest';
import { strategyIdOf } from '../../../../src/domain/flag/strategy-id.ts';
import { importFlag } from '../../../../src/domain/state/state-flag.ts';
import type { WantedFlag, WantedPlace } from '../../../../src/domain/state/wanted.ts';
import type { FlagSpec } from '../../../../src/schema/feature-flag.ts';
import type { Strategy } from '../../../../src/schema/strategy.ts';
import type { Variant } from '../../../../src/schema/variant.ts';

const at = ['features', '0'];
const [first, second, third] = [1, 2, 3].map((n) => `3f2c1a7e-5b7d-4c1a-9a51-00000000000${n}`);

const wanted = (
  said: Partial<WantedFlag> = {},
  places: Readonly<Record<string, Omit<WantedPlace, 'at'>>> = {},
): WantedFlag => ({
  at,
  name: 'flag',
  project: 'shop',
  metadata: {},
  archived: false,
  tags: undefined,
  variants: undefined,
  environments: new Map(Object.entries(places).map(([name, place]) => [name, { at, ...place }])),
  ...said,
});
const strategies = (...list: readonly (readonly [string | undefined, Partial<Strategy>])[]) =>
  list.map(([id, said]) => ({ at, id, strategy: { name: 'default', ...said } }));

const merged = (spec: FlagSpec, flag: WantedFlag) => importFlag(spec, { wanted: flag, replace: false });
const replaced = (spec: FlagSpec, flag: WantedFlag) => importFlag(spec, { wanted: flag, replace: true });

describe('a part that the document does not contain', () => {
  const spec: FlagSpec = {
    description: 'd',
    type: 'experiment',
    stale: true,
    tags: ['simple:one'],
    variants: [{ name: 'v' }],
    environments: { production: { enabled: true, strategies: { a: { name: 'default' } } }, staging: {} },
  };

  test('stays', () => {
    expect(merged(spec, wanted())).toEqual(spec);
  });

  test('is removed if the flag is replaced', () => {
    expect(replaced(spec, wanted())).toEqual({
      description: '',
      type: 'release',
      stale: false,
      variants: [],
      environments: {},
    });
  });

  test('of another environment stays, or is removed', () => {
    const flag = wanted({}, { staging: { enabled: false } });
    expect(merged(spec, flag).environments).toEqual(spec.environments);
    expect(replaced(spec, flag).environments).toEqual({ staging: {} });
  });
});

test('a field with the same meaning stays unchanged', () => {
  const spec: FlagSpec = {
    type: 'release',
    stale: false,
    archived: false,
    tags: ['simple:b1', 'simple:a1'],
    environments: {
      production: {
        enabled: true,
        strategies: {
          mine: {
            name: 'default',
            disabled: false,
            constraints: [{ contextName: 'x', operator: 'NUM_GT', value: '1' }],
          },
          yours: { name: 'default', sortOrder: 3 },
        },
      },
    },
  };
  const id = (key: string) => strategyIdOf({ flag: 'flag', environment: 'production', key });
  const flag = wanted(
    {
      metadata: { description: '', type: 'release', stale: false, impressionData: false },
      tags: ['simple:a1', 'simple:b1'],
    },
    {
      production: {
        enabled: true,
        strategies: strategies(
          [
            id('mine'),
            {
              sortOrder: 0,
              parameters: {},
              constraints: [{ contextName: 'x', operator: 'NUM_GT', value: '1', values: [] }],
            },
          ],
          [id('yours'), { sortOrder: 3 }],
        ),
      },
    },
  );
  expect(merged(spec, flag)).toEqual(spec);
  expect(replaced(spec, flag)).toEqual(spec);
});

describe('the switch', () => {
  const rows: readonly (readonly [string, FlagSpec['environments'], Omit<WantedPlace, 'at'>, boolean | undefined])[] = [
    ['is written where it is another', { production: {} }, { enabled: true }, true],
    ['is not written where it is off anyway', undefined, { enabled: false }, undefined],
    [
      'may stay on where no strategy makes it mean anything',
      { production: { enabled: true } },
      { enabled: false },
      true,
    ],
    [
      'goes off when strategies come that would make it mean something',
      { production: { enabled: true } },
      { enabled: false, strategies: strategies([first, {}]) },
      false,
    ],
    ['is left alone where the document does not name it', { production: { enabled: true } }, {}, true],
  ];
  test.each(rows)('%s', (_, environments, place, want) => {
    const next = merged({ ...(environments && { environments }) }, wanted({}, { production: place }));
    expect(next.environments?.['production']?.enabled).toBe(want);
  });

  test.each([
    ['an export of the flag, which has its strategies', strategies(['a', {}]), true],
    ['a document without strategies', undefined, false],
  ])('where a segment is missing: off in %s', (_, list, enabled) => {
    const production = { enabled: true, strategies: { a: { name: 'default', segments: ['gone'] } } };
    const flag = wanted({}, { production: { enabled: false, ...(list && { strategies: list }) } });
    const next = importFlag(
      { environments: { production } },
      { wanted: flag, replace: false, hasSegment: () => false },
    );
    expect(next).toEqual({ environments: { production: { ...production, enabled } } });
  });
});

describe('strategies', () => {
  const keysOf = (spec: FlagSpec) => Object.entries(spec.environments?.['production']?.strategies ?? {});

  test('of one sortOrder: if their keys have another order, the order of the document is written', () => {
    const next = replaced(
      {},
      wanted({}, { production: { strategies: strategies([third, {}], [first, {}], [second, {}]) } }),
    );
    expect(keysOf(next).map(([key, strategy]) => [key, strategy?.sortOrder])).toEqual([
      [third, 0],
      [first, 1],
      [second, 2],
    ]);
  });

  test('of one sortOrder: if their keys have that order, nothing is written', () => {
    const next = replaced({}, wanted({}, { production: { strategies: strategies([first, {}], [second, {}]) } }));
    expect(keysOf(next).map(([, strategy]) => strategy)).toEqual([{ name: 'default' }, { name: 'default' }]);
  });

  test('are ordered by sortOrder first, wherever their rows are', () => {
    const list = strategies([second, { sortOrder: 5 }], [first, { sortOrder: 1 }]);
    const next = replaced({}, wanted({}, { production: { strategies: list } }));
    expect(keysOf(next)).toEqual([
      [first, { name: 'default', sortOrder: 1 }],
      [second, { name: 'default', sortOrder: 5 }],
    ]);
  });

  test('without ids get ids from their place, so that a second import changes nothing', () => {
    const flag = wanted(
      {},
      { production: { strategies: strategies([undefined, { title: 'a' }], [undefined, { title: 'b' }]) } },
    );
    const once = replaced({}, flag);
    expect(keysOf(once).map(([key]) => key)).toEqual(['imported-1', 'imported-2']);
    expect([merged(once, flag), replaced(once, flag)]).toEqual([once, once]);
  });

  test('that the document does not have are removed', () => {
    const spec: FlagSpec = {
      environments: { production: { strategies: { a: { name: 'default' }, [first ?? '']: { name: 'default' } } } },
    };
    const next = merged(spec, wanted({}, { production: { strategies: strategies([first, {}]) } }));
    expect(keysOf(next).map(([key]) => key)).toEqual([first]);
  });
});

describe('variants', () => {
  const list = (...names: readonly string[]): Variant[] => names.map((name) => ({ name }));

  test('that all environments share are those of a new flag', () => {
    const next = replaced({}, wanted({}, { a: { variants: list('x') }, b: { variants: list('x') } }));
    expect(next).toMatchObject({ variants: [{ name: 'x' }] });
    expect(next.environments ?? {}).toEqual({});
  });

  test('that differ are those of the environments', () => {
    const next = replaced({}, wanted({}, { a: { variants: list('x') }, b: { variants: list('y') } }));
    expect([next.variants, next.environments]).toEqual([
      undefined,
      { a: { variants: list('x') }, b: { variants: list('y') } },
    ]);
  });

  test('that equal the present ones stay unchanged, in any list and any order', () => {
    const spec: FlagSpec = { variants: list('c', 'a', 'b'), environments: { b: { variants: list('y') } } };
    const weighed: Variant[] = [
      { name: 'a', weight: 333 },
      { name: 'b', weight: 333 },
      { name: 'c', weight: 334 },
    ];
    const flag = wanted({}, { a: { variants: weighed }, b: { variants: [{ name: 'y', weight: 1000 }] } });
    expect(merged(spec, flag)).toEqual(spec);
    expect(replaced({ ...spec, environments: { ...spec.environments, a: {} } }, flag).variants).toEqual(spec.variants);
  });

  test('get the remaining weight as before', () => {
    const weighed: Variant[] = [
      { name: 'a', weight: 333 },
      { name: 'b', weight: 334 },
      { name: 'c', weight: 333 },
    ];
    expect(
      replaced({}, wanted({}, { a: { variants: weighed }, b: { variants: weighed } })).variants?.map(
        ({ name }) => name,
      ),
    ).toEqual(['b', 'a', 'c']);
  });

  test('of one environment are written only there if the flag stays', () => {
    const spec: FlagSpec = { variants: list('x') };
    const next = merged(spec, wanted({}, { a: { variants: list('y') } }));
    expect(next).toEqual({ variants: list('x'), environments: { a: { variants: list('y') } } });
  });

  test('of the flag as a whole replace those of environments', () => {
    const spec: FlagSpec = { variants: list('x'), environments: { a: { enabled: true, variants: list('y') } } };
    const next = merged(spec, wanted({ variants: list('z') }));
    expect(next).toEqual({ variants: list('z'), environments: { a: { enabled: true } } });
  });
});

test('an archived flag that is not archived in the document is revived, with replace', () => {
  expect(replaced({ archived: true }, wanted()).archived).toBeUndefined();
  expect(replaced({}, wanted({ archived: true })).archived).toBe(true);
});

test('a lifetime that the document does not name stays, and is removed with replace', () => {
  const spec: FlagSpec = { lifetimeDays: 90 };
  expect(merged(spec, wanted())).toEqual(spec);
  expect(replaced(spec, wanted())).toEqual({});
});
