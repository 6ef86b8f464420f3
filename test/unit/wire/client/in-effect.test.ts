/** The payload of SDKs has a flag on exactly if its status says so, whatever the flag contains. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileServed } from '../../../../src/delivery/flags-in-environment.ts';
import { effectOf } from '../../../../src/domain/flag/effect.ts';
import { judgeFlag } from '../../../../src/domain/flag/judge/judge-flag.ts';
import { contextAt } from '../../../../src/domain/flag/moments.ts';
import type { SegmentLookup } from '../../../../src/domain/segment/segment-values.ts';
import { usableSegment } from '../../../../src/domain/segment/segment-values.ts';
import { readContext } from '../../../../src/evaluation/context.ts';
import { presentClientFeature } from '../../../../src/wire/client/feature.ts';
import { segmentsOf } from '../../../../src/wire/client/segment.ts';
import { dependents } from '../../domain/dependents.ts';
import { flagObject, segmentObject } from '../../domain/objects.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const among = <const Values extends readonly unknown[]>(...values: Values) =>
  fc.constantFrom<Values[number][]>(...values);
const seldom = <Value>(arbitrary: fc.Arbitrary<Value>, otherwise: Value) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary });

const name = among('userId', 'currentTime', 'a"b', 'a\\', 'ü');
const constraint = fc.oneof(
  fc.record({
    contextName: name,
    operator: among('IN', 'NOT_IN', 'IN_CIDR'),
    values: fc.array(among('1', 'a"b', 'b\\', 'ü'), { minLength: 1 }),
  }),
  fc.record({
    contextName: name,
    operator: among('NUM_EQ', 'NUM_LT'),
    value: among('5', '.5', '5.', '1e400', '-1E-400', '+0', '1e309'),
  }),
  fc.record({
    contextName: among('currentTime', 'born'),
    operator: among('DATE_AFTER', 'DATE_BEFORE'),
    value: among(
      '2026-01-31',
      '2026-02-30',
      '2030-02-30T00:00:00Z',
      '2026-01-31T24:00:00Z',
      '0000-01-01T00:00:00+02:00',
      '2026-01-31T00:00:00+99:00',
      '9999-12-31T23:59:59-23:00',
      '2026-01-31T12:00:00.123Z',
    ),
  }),
  fc.record({
    contextName: name,
    operator: among('SEMVER_EQ', 'SEMVER_GT'),
    value: among('1.2.3', '1.2.3-01', '1.2.3-a..b', '99999999999999999999.0.0', '1.2.3+b'),
  }),
  fc.record({ contextName: name, operator: fc.constant('REGEX'), value: among('a', 'a\\\\', '\\d', '"') }),
);
const parameters = fc.record(
  {
    rollout: among(0, 25, '12.5', '100.0', null),
    groupId: among('g', '', 'a"b', 'a\\', null, 5, ['a'], { a: 'b' }),
    stickiness: among('default', '', 'a"b', null, true),
    userIds: among('a,b\\', ['a', 'b"']),
  },
  { requiredKeys: [] },
);
const variant = fc.record({ stickiness: among('', 'userId', 'a"b') }, { requiredKeys: [] });
const strategy = fc.record(
  {
    name: among('default', 'flexibleRollout', 'gradualRolloutUserId', 'userWithId'),
    disabled: fc.boolean(),
    parameters: fc.oneof(fc.constant({ rollout: 50 }), parameters),
    constraints: fc.oneof(fc.constant([]), fc.array(constraint, { maxLength: 2 })),
    segments: seldom<readonly string[]>(
      among('fine', 'odd', 'missing').map((one) => [one]),
      [],
    ),
    variants: fc
      .array(variant, { maxLength: 2 })
      .map((list) => list.map((one, index) => ({ ...one, name: `v${index}` }))),
  },
  { requiredKeys: ['name'] },
);
const production = fc.record(
  {
    enabled: fc.integer({ min: 0, max: 9 }).map((chance) => chance > 0),
    strategies: fc
      .array(strategy, { maxLength: 3 })
      .map((list) => Object.fromEntries(list.map((one, index) => [`s${index}`, one]))),
    activeFrom: among('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'),
  },
  { requiredKeys: ['enabled', 'strategies'] },
);
const spec = fc.record(
  { environments: fc.record({ production }), archived: fc.constant(false) },
  { requiredKeys: ['environments'] },
);

const segment = (id: number, value: string) =>
  usableSegment(
    segmentObject('home/s', { constraints: [{ contextName: 'age', operator: 'NUM_GT', value }] }, { status: { id } }),
  );
const segments: ReadonlyMap<string, SegmentLookup> = new Map<string, SegmentLookup>([
  ['fine', segment(1, '5')],
  ['odd', segment(2, '1e400')],
]);

test('status, document and evaluation agree about where a flag is on', () => {
  const on = { with: 0, without: 0 };
  fc.assert(
    fc.property(spec, (given) => {
      const flag = flagObject('home/f', given);
      const flagContext = contextAt(flag, { ...dependents(), segments }, NOW);
      const effect = effectOf(flag, flagContext);
      const { status } = judgeFlag({ flag, flagContext, effect }, NOW);
      const feature = presentClientFeature({ flag, effect, segments }, 'production');
      const isOn = effect.enabledIn.has('production');
      on[isOn ? 'with' : 'without'] += 1;
      expect(flag.defects).toEqual([]);
      expect(feature.enabled).toBe(isOn);
      expect(status.environments?.['production']?.enabled).toBe(isOn);
      // SDKs evaluate an empty list as on for everyone.
      if (isOn) expect(feature.strategies.length).toBeGreaterThan(0);
      const compiled = compileServed(feature, segmentsOf(feature, segments));
      const situation = { context: readContext({}, NOW), random: () => 0, flags: new Map(), parents: new Map() };
      const { decision } = compiled.evaluate(situation);
      expect(decision === 'off').toBe(!isOn);
    }),
    { numRuns: 500 },
  );
  expect(on.with).toBeGreaterThan(5);
  expect(on.without).toBeGreaterThan(50);
});
