/** An import leaves out what Vexil cannot read, and nothing else, however many complaints there are about it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUnleash } from '../../../cli/import/unleash/read-unleash.ts';

const options = { environment: 'production', project: 'shop' };
const constraint = (operator: string, value: string) => ({ contextName: 'userId', operator, value });
const GOOD = constraint('NUM_GT', '1');
const BAD = [constraint('SEMVER_GT', '1.2'), constraint('NUM_GT', 'abc'), constraint('DATE_AFTER', 'soon')];

function aDocument(strategies: readonly (readonly object[])[]) {
  return {
    version: 1,
    features: strategies.map((constraints, index) => ({
      name: `flag-${index}`,
      enabled: true,
      strategies: [{ name: 'default', parameters: {}, constraints }],
    })),
  };
}

test('a strategy with several complaints leaves its neighbours as they are, and each complaint is reported', async () => {
  const { objects, unmapped } = await readUnleash(aDocument([[GOOD], BAD, [GOOD], [GOOD]]), options);
  const alone = await readUnleash(aDocument([[GOOD], [GOOD], [GOOD], [GOOD]]), options);
  const namesOf = (from: typeof objects) => from.map(({ name }) => name);
  expect(namesOf(objects)).toEqual(namesOf(alone.objects));
  for (const name of ['flag-0', 'flag-2', 'flag-3']) {
    const [now, before] = [objects, alone.objects].map((from) => from.find((one) => one.name === name));
    expect(now).toEqual(before);
  }
  expect(unmapped).toHaveLength(1);
  for (const { value } of BAD) expect(unmapped[0]?.advice).toContain(value);
});

test('whatever is spoilt in one flag, every other flag is imported as before', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 6 }),
      fc.nat(),
      fc.subarray([
        ['stale', 'odd'],
        ['impressionData', 3],
        ['type', 7],
        ['description', {}],
        ['variants', [{ name: 1 }, { weight: 'x' }]],
        ['strategies', [{ name: 1, title: 2, constraints: BAD }, { constraints: BAD }]],
      ] as const),
      async (count, place, spoilt) => {
        const given = aDocument(Array.from({ length: count }, () => [GOOD]));
        const before = await readUnleash(given, options);
        const index = place % count;
        const features = given.features.map((one, at) =>
          at === index ? { ...one, ...Object.fromEntries(spoilt) } : one,
        );
        const { objects } = await readUnleash({ ...given, features }, options);
        const others = (from: typeof objects) => from.filter(({ name }) => name !== `flag-${index}`);
        expect(others(objects)).toEqual(others(before.objects));
      },
    ),
    { numRuns: 60 },
  );
});
