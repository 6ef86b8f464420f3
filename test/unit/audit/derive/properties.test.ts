/**
 * Properties of every change of a flag: a write without a change records nothing, nothing is lost, nothing is recorded
 * twice.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { historyShapes } from '../../../../src/audit/derive/shapes.ts';
import { environmentOf, isActive, strategiesOf, variantsIn } from '../../../../src/domain/flag/flag-values.ts';
import type { AuditEvent } from '../../../../src/domain/history/entry.ts';
import type { FeatureFlag, FlagSpec } from '../../../../src/schema/feature-flag.ts';
import { anyVariants } from '../../../support/any-variants.ts';
import { flagObject } from '../../domain/objects.ts';
import { auditEventsOf, catalog } from './derive-world.ts';

const seed = 4000;
const numRuns = 250;

const optional = { requiredKeys: [] };
const some = <T>(...values: readonly T[]) => fc.constantFrom(...values);

const strategy = fc.record(
  {
    name: some('default', 'flexibleRollout'),
    title: some('', 't'),
    disabled: fc.boolean(),
    sortOrder: some(0, 1, 2),
    parameters: some<Record<string, string | null>>({}, { groupId: 'g' }, { groupId: null }),
    constraints: some([], [{ contextName: 'c', operator: 'IN' as const, values: ['v'] }]),
    variants: anyVariants(2),
  },
  { requiredKeys: ['name'] },
);
const environment = fc.record(
  {
    enabled: fc.boolean(),
    strategies: fc.dictionary(some('a', 'b', 'c'), fc.option(strategy), { maxKeys: 3 }),
    variants: anyVariants(2),
  },
  optional,
);
const flagSpec = fc.record(
  {
    type: some('release', 'permission'),
    description: some('', 'd'),
    impressionData: fc.boolean(),
    stale: fc.boolean(),
    lifetimeDays: some(1, 90),
    archived: fc.boolean(),
    tags: fc.subarray(['simple:aa', 'simple:bb', 'team:cc']),
    variants: anyVariants(2),
    environments: fc.dictionary(some('production', 'development', '__proto__'), fc.option(environment)),
  },
  optional,
);

/** Two versions that differ in some of their fields, often in none. */
const versions = fc
  .tuple(
    flagSpec,
    flagSpec,
    fc.subarray(['stale', 'archived', 'tags', 'variants', 'environments', 'description', 'lifetimeDays']),
  )
  .map(([one, other, fields]) => {
    const taken = Object.entries(other).filter(([key]) => fields.includes(key));
    return [flagObject('home/f', one), flagObject('home/f', { ...one, ...Object.fromEntries(taken) })] as const;
  });

const flags = auditEventsOf('featureflags');
const shapes = historyShapes(catalog);
const namesIn = ({ environments }: FlagSpec) => Object.keys(environments ?? {});

function isOn(flag: FeatureFlag, name: string): boolean {
  const here = environmentOf(flag.spec, name);
  return here.enabled === true && isActive(here) && flag.spec.archived !== true;
}
const keysIn = (flag: FeatureFlag, name: string) => strategiesOf(environmentOf(flag.spec, name)).map(({ key }) => key);

/** Everything that callers can see of a flag, in these environments. */
function visible(flag: FeatureFlag, names: readonly string[]) {
  const ofEnvironment = (name: string) => {
    const strategies = strategiesOf(environmentOf(flag.spec, name));
    const shown = strategies.map(({ key, strategy }) =>
      shapes.strategy({ flag: 'f', environment: name, key }, strategy),
    );
    return [name, isOn(flag, name), shown, shapes.variants(variantsIn(flag, name))];
  };
  return [shapes.feature(flag), new Set(flag.spec.tags), names.map(ofEnvironment)];
}

function holds(check: (auditEvents: readonly AuditEvent[], before: FeatureFlag, after: FeatureFlag) => void): void {
  const property = fc.property(versions, ([before, after]) => check(flags.changed(before, after), before, after));
  fc.assert(property, { seed, numRuns });
}
const about = (auditEvents: readonly AuditEvent[], type: string, environment: string) =>
  auditEvents.filter((one) => one.type === type && one.environment === environment).map(({ subject }) => subject);

test('the specs are valid, and often say the same', () => {
  const seen = fc.sample(versions, { seed, numRuns });
  expect(seen.flat().filter(({ defects }) => defects.length > 0)).toEqual([]);
  const same = seen.filter(([one, other]) => isDeepStrictEqual(one.rawSpec, other.rawSpec)).length;
  expect(same / numRuns).toBeGreaterThan(0.02);
  expect(same / numRuns).toBeLessThan(0.5);
});

test('between a version and itself nothing is recorded', () => {
  holds((_, before, after) => {
    expect([flags.changed(before, before), flags.changed(after, after)]).toEqual([[], []]);
  });
});

test('nothing is recorded only if everything visible is the same', () => {
  holds((auditEvents, before, after) => {
    const names = [...namesIn(before.spec), ...namesIn(after.spec)];
    if (auditEvents.length === 0) expect(visible(after, names)).toEqual(visible(before, names));
  });
});

test('each event is a change, and has its own name in the step', () => {
  holds((auditEvents) => {
    const stale = auditEvents.filter(({ data, preData }) => data && preData && isDeepStrictEqual(data, preData));
    expect(stale).toEqual([]);
    const names = auditEvents.map(({ type, environment, subject }) => JSON.stringify([type, environment, subject]));
    expect(new Set(names).size).toBe(names.length);
  });
});

test('the events lead from the switches and strategies before to those after', () => {
  holds((auditEvents, before, after) => {
    for (const name of new Set([...namesIn(before.spec), ...namesIn(after.spec)])) {
      const turned = isOn(after, name) ? 'feature-environment-enabled' : 'feature-environment-disabled';
      const isRecorded = about(auditEvents, turned, name).length === 1;
      const goesWithoutSaying = !isOn(after, name) && after.spec.archived === true;
      expect(isRecorded).toBe(isOn(before, name) !== isOn(after, name) && !goesWithoutSaying);

      const removed = new Set(about(auditEvents, 'feature-strategy-remove', name));
      const kept = keysIn(before, name).filter((key) => !removed.has(key));
      const keys = [...kept, ...about(auditEvents, 'feature-strategy-add', name)];
      expect(keys.toSorted()).toEqual(keysIn(after, name).toSorted());
    }
  });
});
