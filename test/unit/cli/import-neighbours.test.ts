/** An import leaves out what Vexil cannot read, and nothing else, however many complaints there are about it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readUnleash } from '../../../cli/import/unleash/read-unleash.ts';
import { isRecord } from '../../../src/model/json.ts';

type Lists = Readonly<Record<string, readonly unknown[]>>;

const options = { environment: 'env-1', project: undefined };
const constraint = (operator: string, value: string) => ({ contextName: 'userId', operator, value });
const GOOD = constraint('NUM_GT', '1');
const BAD = [constraint('SEMVER_GT', '1.2'), constraint('NUM_GT', 'abc'), constraint('DATE_AFTER', 'soon')];

function withFlags(constraintsOfFlags: readonly (readonly object[])[]) {
  return {
    version: 1,
    features: constraintsOfFlags.map((constraints, index) => ({
      name: `flag-${index}`,
      enabled: true,
      strategies: [{ name: 'default', parameters: {}, constraints }],
    })),
  };
}

test('a strategy with several complaints leaves its neighbours as they are, and each complaint is reported', async () => {
  const { objects, unmapped } = await readUnleash(withFlags([[GOOD], BAD, [GOOD], [GOOD]]), options);
  const alone = await readUnleash(withFlags([[GOOD], [GOOD], [GOOD], [GOOD]]), options);
  const namesOf = (from: typeof objects) => from.map(({ name }) => name);
  expect(namesOf(objects)).toEqual(namesOf(alone.objects));
  for (const name of ['flag-0', 'flag-2', 'flag-3']) {
    const [now, before] = [objects, alone.objects].map((from) => from.find((one) => one.name === name));
    expect(now).toEqual(before);
  }
  expect(unmapped).toHaveLength(1);
  for (const { value } of BAD) expect(unmapped[0]?.advice).toContain(value);
});

const strategyOf = (index: number) => ({
  parameters: { rollout: `${index}`, groupId: `group-${index}`, stickiness: 'default' },
  constraints: [GOOD, { contextName: 'country', operator: 'IN', values: [`c${index}`] }],
  variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
});
const segmentOf = (index: number) => ({ id: 100 + index, name: `segment-${index}`, constraints: [GOOD] });
const placeOf = (index: number) => ({ featureName: `flag-${index}`, environment: `env-${index}` });
const featureOf = (index: number) => ({
  ...{ name: `flag-${index}`, description: `About ${index}`, type: 'release', stale: false, impressionData: false },
  project: `project-${index}`,
});
const variantOf = (index: number) => ({ name: `green-${index}`, weight: 1000 });

/** What an export of each form says in its lists: the items of a place belong together, and to no other place. */
const forms: Readonly<Record<string, (index: number) => Readonly<Record<string, unknown>>>> = {
  'with lists of everything': (index) => ({
    features: { ...featureOf(index), dependencies: [{ feature: `parent-${index}` }] },
    strategies: { name: `type-${index}`, parameters: [{ name: 'share', type: 'percentage', required: true }] },
    projects: { id: `project-${index}`, name: `Project ${index}`, defaultStickiness: 'userId' },
    environments: { name: `env-${index}`, type: 'production', sortOrder: index, enabled: true },
    tagTypes: { name: `kind-${index}` },
    tags: { type: `kind-${index}`, value: 'v' },
    featureTags: { featureName: `flag-${index}`, tagType: `kind-${index}`, tagValue: 'value' },
    featureStrategies: {
      id: `strategy-${index}`,
      ...placeOf(index),
      strategyName: 'flexibleRollout',
      ...strategyOf(index),
    },
    featureEnvironments: { ...placeOf(index), enabled: true, variants: [variantOf(index)] },
    segments: segmentOf(index),
    featureStrategySegments: { featureStrategyId: `strategy-${index}`, segmentId: 100 + index },
  }),
  'with strategies in flags': (index) => ({
    features: {
      ...{ ...featureOf(index), enabled: true, variants: [variantOf(index)] },
      strategies: [{ name: 'flexibleRollout', ...strategyOf(index), segments: [100 + index] }, { name: 'default' }],
    },
    environments: { name: `env-${index}`, type: 'production' },
    featureTags: { featureName: `flag-${index}`, type: 'simple', value: `value-${index}` },
    segments: segmentOf(index),
  }),
  'of one environment': (index) => ({
    features: featureOf(index),
    featureStrategies: {
      ...{ id: `strategy-${index}`, featureName: `flag-${index}`, name: 'flexibleRollout', ...strategyOf(index) },
      segments: [100 + index],
    },
    featureEnvironments: { featureName: `flag-${index}`, environment: 'live', enabled: true },
    featureTags: { featureName: `flag-${index}`, tagType: 'simple', tagValue: `value-${index}` },
    segments: segmentOf(index),
    dependencies: { feature: `flag-${index}`, dependencies: [{ feature: `parent-${index}`, enabled: true }] },
    contextFields: { name: `field-${index}` },
    links: { feature: `flag-${index}`, url: 'https://example.com' },
  }),
};
const VERSIONS: Readonly<Record<string, number>> = { 'with lists of everything': 4, 'with strategies in flags': 1 };

function listsOf(itemsAt: (index: number) => Readonly<Record<string, unknown>>, count: number): Lists {
  const places = Array.from({ length: count }, (_, index) => itemsAt(index));
  const sections = Object.keys(places[0] ?? {});
  return Object.fromEntries(sections.map((section) => [section, places.map((items) => items[section])]));
}

/** A place in an item becomes the value, or is gone if that is undefined. The place is chosen by the number. */
function spoilt(value: unknown, number: number, by: unknown): unknown {
  const keys = isRecord(value) || Array.isArray(value) ? Object.keys(value) : [];
  const choice = number % (keys.length + 1);
  const key = keys[choice];
  if (key === undefined) return by;
  const next = Math.floor(number / (keys.length + 1));
  const inner = spoilt(Reflect.get(value as object, key), next, by);
  if (Array.isArray(value)) return value.with(choice, inner);
  return { ...(value as object), [key]: inner };
}

/** Not `false`: an export of one environment with a flag that is off is trusted about those that are on. */
const spoils = fc.array(
  fc.record({
    section: fc.nat(),
    index: fc.nat(),
    place: fc.nat({ max: 1_000_000 }),
    by: fc.constantFrom<unknown>(7, -1, 'not a name', '', true, null, undefined, {}, [], [7, null], BAD, {
      name: 1,
      title: 2,
    }),
  }),
  { minLength: 1, maxLength: 6 },
);

describe.each(Object.entries(forms))('in an export %s', (form, itemsAt) => {
  test('whatever is spoilt in some items, what belongs to the others is imported as before', async () => {
    const version = VERSIONS[form] === undefined ? {} : { version: VERSIONS[form] };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 6 }), spoils, fc.boolean(), async (count, wanted, trustSwitches) => {
        const lists = listsOf(itemsAt, count);
        const after = new Map(Object.entries(lists));
        const touched = new Set<number>();
        for (const { section: number, index: item, place, by } of wanted) {
          const section = Object.keys(lists)[number % Object.keys(lists).length] ?? '';
          const index = item % count;
          const list = after.get(section) ?? [];
          after.set(section, list.with(index, spoilt(list[index], place, by)));
          touched.add(index);
        }
        const isOther = ({ name }: { readonly name: string }) => {
          const number = /-(\d+)$/.exec(name)?.[1];
          return number !== undefined && !touched.has(Number(number));
        };
        const [now, before] = [
          await readUnleash({ ...version, ...Object.fromEntries(after) }, { ...options, trustSwitches }),
          await readUnleash({ ...version, ...lists }, { ...options, trustSwitches }),
        ].map(({ objects }) => objects.filter(isOther));
        expect(now).toEqual(before);
      }),
      { numRuns: 150 },
    );
  });
});
