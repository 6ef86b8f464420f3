/** Random documents and contexts, limited to what Vexil sends to SDKs and without the cases of differences.ts. */

import fc from 'fast-check';
import type {
  ClientConstraint,
  ClientDependency,
  ClientFeature,
  ClientSegment,
  ClientStrategy,
  ClientVariant,
} from '../../../src/evaluation/client-document.ts';
import type { ClientDocument } from '../../../src/wire/client/read-document.ts';
import type { GivenContext } from './answers.ts';
import { aFeature } from './documents.ts';

export interface Asked {
  readonly document: ClientDocument;
  readonly contexts: readonly GivenContext[];
}

const words = ['de', 'fr', 'DE', 'user-1', 'team a', 'a"b', 'ünï', '日本', 'x'.repeat(100)];
const groups = ['g', 'shop checkout', 'x:y', 'a/b', 'g'.repeat(60)];
const teams = ['red', 'blue', 'a b', "o'neill", '~'];
const operands = ['0', '1', '-3', '12', '12.0', '1.5', '5.', '1000', '12345678901234567890'];
const numerals = ['0', '1', '-3', '12', '12.0', '1.5', '.5', '5.', '1e3', '+7', '12345678901234567890', 'Infinity'];
const versions = ['1.2.3', '1.2.4', '1.10.0', '2.0.0', '2.0.0-alpha', '2.0.0-alpha.1', '2.0.0-beta.2', '2.0.0+b1'];
const oddVersions = ['v1.2.3', '1.2', '1.2.3-', '01.2.3', ''];
const times = [
  '2025-12-31T23:59:59.999Z',
  '2026-01-31T00:00:00.000Z',
  '2026-01-31T01:00:00+01:00',
  '2030-06-01T12:00:00Z',
];
const ranges = [
  '10.0.0.0/8',
  '10.1.2.3',
  '192.168.1.7/24',
  '2001:db8::/32',
  '::1',
  '::ffff:10.0.0.0/104',
  'nope',
  '10.0.0.0/33',
];
const addresses = [
  '10.1.2.3',
  '10.200.0.1',
  '192.168.1.9',
  '2001:DB8::1',
  '::1',
  '::ffff:10.1.2.3',
  '010.1.2.3',
  'nope',
];
const patterns = ['^de$', 'USER-\\d+', '(?i)team', '[[:alpha:]]+@', '(a|b)*c', '(unclosed', ''];
const ids = Array.from({ length: 60 }, (_, index) => `user-${index}`);

const among = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const someOf = <Value>(values: readonly Value[]) => fc.array(among(values), { minLength: 1, maxLength: 4 });

const base = { values: fc.constant([]), inverted: fc.boolean(), caseInsensitive: fc.boolean() };
const anyField = among([
  'userId',
  'sessionId',
  'appName',
  'environment',
  'word',
  'absent',
  'empty',
  'amount',
  'nothing',
]);

const constraint: fc.Arbitrary<ClientConstraint> = fc.oneof(
  fc.record({
    ...base,
    contextName: anyField,
    operator: among(['IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH']),
    values: someOf(words),
  }),
  fc.record({
    ...base,
    contextName: among(['amount', 'word', 'absent']),
    operator: among(['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE']),
    value: among(operands),
  }),
  fc.record({
    ...base,
    contextName: fc.constant('currentTime'),
    operator: among(['DATE_AFTER', 'DATE_BEFORE']),
    value: among(times),
  }),
  fc.record({
    ...base,
    contextName: among(['version', 'word', 'absent']),
    operator: among(['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_GTE', 'SEMVER_LT', 'SEMVER_LTE']),
    value: among(versions),
  }),
  fc.record({ ...base, contextName: anyField, operator: fc.constant('REGEX'), value: among(patterns) }),
  fc.record({
    ...base,
    contextName: among(['remoteAddress', 'word', 'absent']),
    operator: fc.constant('IN_CIDR'),
    values: someOf(ranges),
  }),
);

const constraints = fc.oneof(fc.constant([]), fc.array(constraint, { maxLength: 2 }));

const payload = fc.record({
  type: among(['string', 'json', 'csv', 'number']),
  value: among(['', 'a', '{"a":1}', '5.0']),
});

function variants(stickiness: string, names: string, withOverrides: boolean): fc.Arbitrary<readonly ClientVariant[]> {
  const override = fc.record({ contextName: anyField, values: someOf([...words, ...ids]) });
  const one = fc.record(
    {
      name: fc.constant(''),
      weight: fc.integer({ min: 0, max: 1000 }),
      stickiness: fc.constant(stickiness),
      payload,
      ...(withOverrides && { overrides: fc.array(override, { maxLength: 2 }) }),
    },
    { requiredKeys: ['name', 'weight', 'stickiness'] },
  );
  const some = fc
    .array(one, { minLength: 1, maxLength: 4 })
    .filter((list) => list.some(({ weight }) => weight > 0))
    .map((list) => list.map((variant, index) => ({ ...variant, name: `${names}${index}` })));
  return fc.oneof(fc.constant([]), some);
}

const rollout = fc.oneof(fc.integer({ min: 0, max: 100 }).map(String), among(['0', '100', 'none']));

/** Fields that are always present, so that no answer is random. */
const present = among(['default', 'userId', 'sessionId', 'team']);

const types: fc.Arbitrary<Pick<ClientStrategy, 'name' | 'parameters'>> = fc.oneof(
  fc.record({ name: fc.constant('default'), parameters: fc.constant({}) }),
  fc.record({
    name: among(['gradualRolloutUserId', 'gradualRolloutSessionId']),
    parameters: fc.record({ percentage: rollout, groupId: among(groups) }),
  }),
  fc.record({
    name: fc.constant('gradualRolloutRandom'),
    parameters: fc.record({ percentage: among(['0', '100']), groupId: among(groups) }),
  }),
  fc.record({
    name: fc.constant('userWithId'),
    parameters: fc.record({ userIds: someOf(ids).map((list) => list.join(', ')) }),
  }),
  fc.record({
    name: fc.constant('remoteAddress'),
    parameters: fc.record({ IPs: someOf(['10.0.0.0/8', '192.168.1.9', '::1', 'bad']).map((list) => list.join(',')) }),
  }),
  fc.record({ name: fc.constant('noSuchStrategy'), parameters: fc.constant({}) }),
);

const plain: fc.Arbitrary<ClientStrategy> = fc
  .record({ type: types, constraints, segments: fc.subarray([1, 2, 3], { maxLength: 1 }) })
  .map(({ type, ...rest }) => ({ ...type, ...rest, variants: [] }));

const flexible: fc.Arbitrary<ClientStrategy> = present.chain((stickiness) =>
  fc.record({
    name: fc.constant('flexibleRollout'),
    parameters: fc.record({ rollout, groupId: among([...groups, '']), stickiness: fc.constant(stickiness) }),
    constraints,
    variants: variants(stickiness, 's', false),
    segments: fc.subarray([1, 2, 3], { maxLength: 1 }),
  }),
);

/** Strategies that are off in every SDK for users without the field. */
const ofAbsentField: fc.Arbitrary<ClientStrategy> = fc.record({
  name: fc.constant('flexibleRollout'),
  parameters: fc.record({ rollout, groupId: among(groups), stickiness: fc.constant('absent') }),
  constraints,
  variants: fc.constant([]),
});

const strategy = fc.oneof(flexible, plain, ofAbsentField);

function feature(name: string, dependencies: fc.Arbitrary<ClientDependency[]>): fc.Arbitrary<ClientFeature> {
  return fc
    .record({
      enabled: fc.integer({ min: 0, max: 9 }).map((chance) => chance > 0),
      strategies: fc.array(strategy, { maxLength: 3 }),
      variants: present.chain((stickiness) => variants(stickiness, 'v', true)),
      dependencies,
    })
    .map((given) => aFeature({ name, ...given }));
}

function parentFlag(name: string): fc.Arbitrary<ClientFeature> {
  return feature(name, fc.constant([])).filter(({ variants }) => variants.length > 0);
}

const parent = among(['parent-a', 'parent-b', 'child', 'nobody']);

const dependency: fc.Arbitrary<ClientDependency> = fc.oneof(
  fc.record({ feature: parent, enabled: fc.boolean() }),
  fc.record({ feature: parent, variants: fc.subarray(['v0', 's0', 'disabled']) }),
);

const segment = (id: number): fc.Arbitrary<ClientSegment> => fc.record({ id: fc.constant(id), constraints });

const document: fc.Arbitrary<ClientDocument> = fc.record({
  features: fc.tuple(
    parentFlag('parent-a'),
    parentFlag('parent-b'),
    feature('child', fc.array(dependency, { minLength: 1, maxLength: 2 })),
    feature('other', fc.array(dependency, { maxLength: 1 })),
  ),
  segments: fc.tuple(segment(1), segment(2), segment(3)),
});

const context: fc.Arbitrary<GivenContext> = fc.record(
  {
    userId: among(ids),
    sessionId: among(ids),
    appName: among(words),
    environment: among(words),
    remoteAddress: among(addresses),
    currentTime: among(times),
    properties: fc.record(
      {
        word: among(words),
        team: among(teams),
        amount: among(numerals),
        version: among([...versions, ...oddVersions]),
        empty: fc.constant(''),
        nothing: fc.constant(null),
      },
      { requiredKeys: ['word', 'team'] },
    ),
  },
  { requiredKeys: ['userId', 'sessionId', 'properties', 'currentTime'] },
);

export const asked: fc.Arbitrary<Asked> = fc.record({
  document,
  contexts: fc.array(context, { minLength: 4, maxLength: 4 }),
});
