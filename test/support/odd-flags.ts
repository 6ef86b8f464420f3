/** Flags with odd values that the API server accepts and that SDKs may read differently, the same for a seed. */
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { SegmentSpec } from '../../src/schema/segment.ts';
import { seededRandom } from './seeded-random.ts';

type Pick = <T>(...from: readonly T[]) => T;

const IDS = ['', 'u1,u7, u20 ', 'a"b,u1', 'u3\\,u4', 'u5,,u6', ' u8', 'ü,u9'];
const NAMES = ['userId', 'sessionId', 'region', 'a b', 'ä', 'plan]'];
const TEXTS = ['u1', 'u2', 'a"b', 'a\\b', 'x]', 'eu', 'EU', 'pro'];
const NUMBERS = ['5', '5.', '+5', '-0', '1E1', '1e-7', '1e30', '0.1'];
const DATES = ['2020-01-31T12:00:00.123+05:30', '2030-02-30T00:00:00Z', '2040-01-01T00:00:00Z'];
const VERSIONS = ['1.2.3', '1.2.3-rc.1+b.2', '0.0.0', '99999999999999999999.0.0'];

interface OddUser {
  readonly userId: string;
  readonly sessionId: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** For some of which `region`, `plan` and other fields are given. */
export const oddUsers: readonly OddUser[] = Array.from({ length: 200 }, (_, number) => ({
  userId: `u${number}`,
  // Without one, variants that stick to it are random.
  sessionId: `s${number}`,
  properties: {
    ...(number % 2 === 0 && { region: ['eu', 'EU', 'us'][number % 3] ?? 'eu' }),
    // Go takes an inverted comparison with a number that is missing for false, the others for true.
    plan: `${number / 10}`,
    ...(number % 3 === 0 && { version: `1.2.${number % 7}` }),
    ...(number % 5 === 0 && { 'a b': 'pro', ä: 'u1' }),
    ...(number % 4 !== 0 && { address: `10.${number % 3}.2.3` }),
  },
}));

export interface OddFlags {
  /** By their names; in `production` all are switched on. */
  readonly flags: ReadonlyMap<string, FlagSpec>;
  readonly segments: readonly SegmentSpec[];
  /** The names of flags that have an operator which SDKs for Go do not know, or whose parents have one. */
  readonly later: ReadonlySet<string>;
}

const SEGMENTS = ['Beta users', 'eu', 'nobody', 'everybody', 'late'];
/** The last one does not exist. */
const SEGMENT_NAMES = [...SEGMENTS, 'missing'];
const LATER_OPERATORS = ['SEMVER_GTE', 'SEMVER_LTE', 'REGEX', 'IN_CIDR'];

export function oddFlags(count: number, seed: number): OddFlags {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick: Pick = (...from) => from[below(from.length)] as (typeof from)[number];
  const some = <T>(most: number, make: () => T) => Array.from({ length: below(most + 1) }, make);

  const laterConstraint = () => {
    const flags = pick({}, { inverted: true });
    const operator = pick(...LATER_OPERATORS);
    if (operator === 'IN_CIDR') {
      return { contextName: 'address', operator, values: [pick('10.0.0.0/8', '10.1.2.3', 'fd00::/8')], ...flags };
    }
    if (operator === 'REGEX') {
      const value = pick('^u1', '[0-9]5$', '^(eu|us)$', 'U');
      return {
        contextName: pick('userId', 'region'),
        operator,
        value,
        ...flags,
        ...pick({}, { caseInsensitive: true }),
      };
    }
    return { contextName: 'version', operator, value: pick('1.2.3', '1.2.0-rc.1', '1.2.5'), ...flags };
  };
  const constraint = () => {
    const flags = { ...pick({}, { inverted: true }), ...pick({}, { caseInsensitive: true }) };
    switch (below(4)) {
      case 0:
        return {
          contextName: 'plan',
          operator: pick('NUM_EQ', 'NUM_GT', 'NUM_LTE'),
          value: pick(...NUMBERS),
          ...flags,
        };
      case 1:
        return {
          contextName: 'currentTime',
          operator: pick('DATE_AFTER', 'DATE_BEFORE'),
          value: pick(...DATES),
          ...flags,
        };
      case 2:
        return { contextName: 'version', operator: pick('SEMVER_EQ', 'SEMVER_GT'), value: pick(...VERSIONS) };
      default: {
        const operator = pick('IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH');
        return {
          contextName: pick(...NAMES),
          operator,
          values: [pick(...TEXTS), ...some(3, () => pick(...TEXTS))],
          ...flags,
        };
      }
    }
  };
  const variants = () =>
    ['B', 'a', 'c', 'Ä'].slice(0, below(5)).map((name, index) => ({
      name: name === 'Ä' ? 'A-e' : name,
      ...(index > 0 && pick({}, { weightType: 'fix', weight: below(300) })),
      ...pick({}, { stickiness: pick('userId', 'default', 'sessionId') }),
      ...pick(
        {},
        { payload: { type: pick('string', 'json', 'csv', 'number'), value: pick('', '1', '{"a":1}', 'x,y') } },
      ),
    }));
  const rollout = () => ({
    ...pick({}, { rollout: pick<unknown>(0, 25, 50, 100, '33') }, { rollout: below(101) }),
    ...pick({}, {}, { groupId: pick<unknown>('', 'g', 7, null) }),
    ...pick({}, { stickiness: pick('default', 'userId', '', 'region') }),
  });
  const parameters = (name: string) => {
    if (name === 'flexibleRollout') return pick(rollout(), rollout(), rollout(), {});
    if (name === 'userWithId') return pick({ userIds: pick(...IDS) }, { userIds: ['u1', 'u2', 9] }, { userIds: null });
    return pick({}, { odd: null, list: [1, { a: 'b' }], text: 'a"\\' });
  };
  const strategy = () => {
    const name = pick('flexibleRollout', 'flexibleRollout', 'userWithId', 'default');
    const own = variants();
    return {
      name,
      ...pick({}, { parameters: parameters(name) }, { parameters: parameters(name) }),
      ...pick({}, { constraints: some(2, pick(constraint, constraint, laterConstraint)) }),
      ...pick({}, {}, { segments: [...new Set(some(2, () => pick(...SEGMENT_NAMES)))] }),
      ...pick({}, {}, { variants: own }),
      ...pick({}, {}, {}, { disabled: true }),
      sortOrder: below(3),
    };
  };
  /** Those before the hundredth have no parents, and may become some. */
  const dependencies = (index: number) => [
    { feature: `odd-${below(Math.min(index, 100))}`, ...pick({}, { enabled: true }, { enabled: false }) },
  ];
  const flag = (_: unknown, index: number): FlagSpec => {
    const strategies = Object.fromEntries([strategy(), ...some(2, strategy)].map((one, key) => [`s${key}`, one]));
    const spec = {
      variants: variants(),
      environments: { production: { enabled: true, strategies } },
      ...(index >= 100 && pick({}, {}, { dependencies: dependencies(index) })),
    };
    return spec as FlagSpec;
  };
  const flags = new Map(Array.from({ length: count }, flag).map((spec, index) => [`odd-${index}`, spec]));
  const segments = SEGMENTS.map((name) => ({ name, constraints: some(2, constraint) }) as SegmentSpec);
  return { flags, segments, later: laterAmong(flags) };
}

function laterAmong(flags: OddFlags['flags']): OddFlags['later'] {
  const isLater = (name: string): boolean => {
    const spec = flags.get(name);
    const text = JSON.stringify(spec);
    return (
      LATER_OPERATORS.some((one) => text.includes(one)) ||
      (spec?.dependencies ?? []).some(({ feature }) => isLater(feature))
    );
  };
  return new Set([...flags.keys()].filter(isLater));
}
