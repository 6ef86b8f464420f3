/** Explanations have the same answer as an evaluation, with the value that each part saw. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileFlag } from '../../../src/evaluation/compile.ts';
import { compileSegments } from '../../../src/evaluation/strategy.ts';
import { seededRandom } from '../../../src/model/seeded-random.ts';
import { aSituation, compileDocument, type GivenContext } from '../../support/evaluation/answers.ts';
import { asked } from '../../support/evaluation/any-document.ts';
import { aConstraint, aFeature } from '../../support/evaluation/documents.ts';

type Sparse = Parameters<typeof aFeature>[0];

function explain(feature: Sparse, context: GivenContext = {}, strategyKeys: readonly string[] = []) {
  const segments = compileSegments([
    { id: 7, name: 'paying', constraints: [aConstraint({ contextName: 'plan', values: ['pro'] })] },
  ]);
  const parents = compileDocument({ features: [aFeature({ name: 'parent', enabled: false })], segments: [] });
  return compileFlag(aFeature(feature), { segments, strategyKeys }).explain(aSituation(parents, context));
}

test('an explanation has the answer of the evaluation, for random flags and contexts', () => {
  fc.assert(
    fc.property(asked, fc.integer(), ({ document, contexts }, seed) => {
      const flags = compileDocument(document);
      const answers = (how: 'evaluate' | 'explain') => {
        const random = seededRandom(seed);
        return [...flags.values()].flatMap((flag) =>
          contexts.map(({ userId: _, ...anonymous }) => flag[how](aSituation(flags, anonymous, { random }))),
        );
      };
      expect(answers('explain').map(({ enabled, variant, decision }) => ({ enabled, variant, decision }))).toEqual(
        answers('evaluate').map(({ enabled, variant, decision }) => ({ enabled, variant, decision })),
      );
    }),
    { numRuns: 100 },
  );
});

test('each strategy up to the one that applies is named by its key, with every constraint and the bucket', () => {
  const { enabled, decision, why } = explain(
    {
      name: 'shop',
      strategies: [
        {
          segments: [7],
          constraints: [
            { contextName: 'country', values: ['de'] },
            { contextName: 'age', operator: 'NUM_GT', value: '17' },
          ],
        },
        { name: 'flexibleRollout', parameters: { rollout: '57', stickiness: 'default' } },
        { name: 'flexibleRollout', parameters: { rollout: '58.9' } },
        {},
      ],
    },
    { userId: 'user-1', properties: { country: 'fr', age: 'young' } },
    ['germans', 'some', 'more', 'everyone'],
  );
  expect({ enabled, decision, keys: why.strategies.map(({ key, holds }) => [key, holds]) }).toEqual({
    enabled: true,
    decision: 'strategy',
    keys: [
      ['germans', false],
      ['some', false],
      ['more', true],
    ],
  });
  const [germans, some, more] = why.strategies;
  expect(germans?.constraints).toMatchObject([
    { constraint: { contextName: 'country' }, segment: undefined, value: 'fr', problem: undefined, holds: false },
    {
      constraint: { contextName: 'age' },
      segment: undefined,
      value: 'young',
      problem: 'the value is not a number',
      holds: false,
    },
    {
      constraint: { contextName: 'plan' },
      segment: { id: 7, name: 'paying' },
      value: undefined,
      problem: 'the context has no "plan"',
      holds: false,
    },
  ]);
  const bucket = { stickiness: 'default', group: 'shop', field: 'userId', id: 'user-1', number: 58, of: 100 };
  expect(some).toMatchObject({ bucket, limit: 57 });
  expect(more).toMatchObject({ bucket, limit: 58.9 });
});

test('a variant is explained by its bucket, or by the override', () => {
  const variants = [
    { name: 'a', weight: 217, overrides: [{ contextName: 'plan', values: ['pro'] }] },
    { name: 'b', weight: 783 },
  ];
  const context = { userId: 'user-1' };
  expect(explain({ name: 'shop', variants }, context)).toMatchObject({
    variant: { name: 'b' },
    decision: 'everyone',
    why: { variant: { bucket: { group: 'shop', field: 'userId', number: 218, of: 1000 } } },
  });
  expect(explain({ name: 'shop', variants }, { ...context, properties: { plan: 'pro' } })).toMatchObject({
    variant: { name: 'a' },
    why: { variant: { override: 'plan' } },
  });
});

test.each([
  ['there is no segment 9', { segments: [9] }],
  ['there is no percentage', { name: 'flexibleRollout' }],
  ['the percentage is not a number', { name: 'gradualRolloutRandom', parameters: { percentage: 'half' } }],
  ['only the application knows the name of its host', { name: 'applicationHostname' }],
  ['only SDKs that know this strategy type evaluate it', { name: 'constructor' }],
])('a strategy that cannot apply has the problem: %s', (problem, strategy) => {
  const { decision, why } = explain({ strategies: [strategy] });
  expect({ decision, strategies: why.strategies }).toMatchObject({
    decision: 'no-strategy',
    strategies: [{ problem, holds: false }],
  });
});

test('an empty userId counts as missing, so the sessionId decides', () => {
  const strategies = [{ name: 'flexibleRollout', parameters: { rollout: '100', groupId: 'shop' } }];
  expect(explain({ strategies }, { userId: '', sessionId: 'user-1' }).why.strategies).toMatchObject([
    { bucket: { field: 'sessionId', id: 'user-1', number: 58 } },
  ]);
});

test('a user without the field of its stickiness has no bucket', () => {
  const strategies = [{ name: 'flexibleRollout', parameters: { rollout: '100', stickiness: 'tenant' } }];
  expect(explain({ strategies }, { userId: 'u' }).why.strategies).toMatchObject([
    { bucket: { field: undefined, id: undefined, number: undefined }, limit: 100, holds: false },
  ]);
});

test.each([
  [{ feature: 'parent' }, { problem: undefined, parent: { enabled: false }, holds: false }],
  [
    { feature: 'parent', enabled: false },
    { problem: undefined, parent: { enabled: false }, holds: true },
  ],
  [
    { feature: 'absent', enabled: false },
    { problem: 'there is no such flag', parent: undefined, holds: false },
  ],
])('the dependency %j is explained', (dependency, expected) => {
  const { decision, why } = explain({ dependencies: [dependency] });
  expect(decision).toBe(expected.holds ? 'everyone' : 'dependency');
  expect(why.dependencies).toMatchObject([{ dependency, ...expected }]);
});

test('a flag that is off has no further explanation', () => {
  const { decision, why } = explain({ enabled: false, strategies: [{}], dependencies: [{ feature: 'parent' }] });
  expect({ decision, why }).toEqual({ decision: 'off', why: { dependencies: [], strategies: [] } });
});

test('random numbers are in all buckets, and none is outside', () => {
  const strategies = [{ name: 'gradualRolloutRandom', parameters: { percentage: '1' } }];
  const flag = compileFlag(aFeature({ strategies }), { segments: new Map() });
  const at = (chance: number) => flag.explain(aSituation(new Map(), {}, { random: () => chance }));
  const numberAt = (chance: number) => at(chance).why.strategies[0]?.bucket?.number;
  expect([numberAt(0), numberAt(0.5), numberAt(1 - 2 ** -53)]).toEqual([1, 51, 100]);
  expect([at(0).enabled, at(0.01).enabled]).toEqual([true, false]);
});
