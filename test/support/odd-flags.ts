/**
 * Flags with unusual values that the API server accepts and that SDKs may read differently. The same seed gives the
 * same flags.
 */

import { seededRandom } from '../../src/model/seeded-random.ts';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { SegmentSpec } from '../../src/schema/segment.ts';
import { builtInStrategyNames } from '../../src/schema/strategy-definition.ts';
import { OWN_TYPE } from './rule-flags.ts';

type Pick = <T>(...from: readonly T[]) => T;

const IDS = ['', 'u1,u7, u20 ', 'a"b,u1', 'u3\\,u4', 'u5,,u6', ' u8', 'ü,u9'];
const NAMES = ['userId', 'sessionId', 'region', 'a b', 'ä', 'plan]'];
const TEXTS = ['u1', 'u2', 'a"b', 'a\\b', 'x]', 'eu', 'EU', 'pro'];
const NUMBERS = ['5', '5.', '+5', '-0', '1E1', '1e-7', '1e30', '0.1'];
const DATES = ['2020-01-31T12:00:00.123+05:30', '2030-02-30T00:00:00Z', '2040-01-01T00:00:00Z'];
const VERSIONS = ['1.2.3', '1.2.3-rc.1+b.2', '0.0.0', '99999999999999999999.0.0'];
const ADDRESSES = ['10.0.0.1', '10.1.2.3', '192.168.7.9', '2001:db8::1', '::1', 'proxy'];
const RANGES = ['10.0.0.1', ' 10.0.0.0/8 ', '10.1.2.3/33', '192.168.7.0/24', '2001:db8::/32', '0:0::1', '::1', 'proxy'];
const REGIONS = ['eu', 'EU', 'us'];
const OUTSIDE_ASCII = ['ü', '日本', 'e\u0301'];

export interface OddUser {
  readonly userId: string;
  readonly sessionId?: string;
  readonly remoteAddress?: string;
  readonly properties: Readonly<Record<string, string>>;
}

const at = (list: readonly string[], number: number) => list[number % list.length] as string;

/** User 9 is `ü`, which is in some lists. */
function oddUserId(number: number): string {
  if (number % 10 !== 9) return `u${number}`;
  return number === 9 ? 'ü' : `${at(OUTSIDE_ASCII, number)}${number}`;
}

/** Users, some with `region`, `plan`, an address and other fields. A tenth have ids outside ASCII. */
export const oddUsers: readonly OddUser[] = Array.from({ length: 200 }, (_, number) => ({
  userId: oddUserId(number),
  ...(number % 4 !== 1 && { sessionId: `s${number}` }),
  ...(number % 7 !== 6 && { remoteAddress: at(ADDRESSES, number) }),
  properties: {
    ...(number % 2 === 0 && { region: at(REGIONS, number) }),
    ...(number % 9 !== 4 && { plan: `${number / 10}` }),
    ...(number % 3 === 0 && { version: `1.2.${number % 7}` }),
    ...(number % 5 === 0 && { 'a b': 'pro', ä: 'u1' }),
    ...(number % 4 !== 0 && { address: `10.${number % 3}.2.3` }),
  },
}));

export interface OddFlags {
  /** The flags by name. All are switched on in `production`. */
  readonly flags: ReadonlyMap<string, FlagSpec>;
  readonly segments: readonly SegmentSpec[];
}

const TYPES = [...builtInStrategyNames, OWN_TYPE];

const SEGMENTS = ['Beta users', 'eu', 'nobody', 'everybody', 'late'];
/** The last segment does not exist. */
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
        return {
          contextName: 'version',
          operator: pick('SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT'),
          value: pick(...VERSIONS),
          ...pick({}, { inverted: true }),
        };
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
  /** Overrides, which only variants of a flag may have. */
  const overrides = () =>
    pick<object>(
      {},
      { overrides: [{ contextName: 'userId', values: ['u1', 'u2', 'ü'] }] },
      { overrides: [{ contextName: pick('region', 'a b', 'remoteAddress'), values: ['EU', 'pro', '10.1.2.3', 'eu'] }] },
      { overrides: [] },
    );
  const group = () => pick({}, {}, { groupId: pick<unknown>('', 'g', 7, null) });
  const rollout = () => ({
    ...pick({}, { rollout: pick<unknown>(0, 25, 50, 100, '33') }, { rollout: below(101) }),
    ...group(),
    ...pick({}, { stickiness: pick('default', 'userId', 'sessionId', '', 'region') }),
  });
  const gradual = () => ({ percentage: pick<unknown>(0, 25, 50, 100, '33', below(101)), ...group() });
  const parameters = (name: string): object => {
    switch (name) {
      case 'flexibleRollout':
        return pick(rollout(), rollout(), rollout(), {});
      case 'gradualRolloutUserId':
      case 'gradualRolloutSessionId':
        return gradual();
      case 'gradualRolloutRandom':
        // Any other percentage gives random answers.
        return { percentage: pick<unknown>(0, 100, '100', null) };
      case 'remoteAddress':
        return { IPs: pick<unknown>([pick(...RANGES), pick(...RANGES)].join(), [pick(...RANGES), '10.0.0.1'], null) };
      case 'applicationHostname':
        // The host names match no machine.
        return { hostNames: pick<unknown>('no-such-host.invalid, a', ['No-Such-Host.invalid'], '', null) };
      case 'userWithId':
        return pick<object>({ userIds: pick(...IDS) }, { userIds: ['u1', 'u2', 9] }, { userIds: null });
      default:
        return pick<object>({}, { odd: null, list: [1, { a: 'b' }], text: 'a"\\' });
    }
  };
  const strategy = () => {
    const name = pick(...TYPES);
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
  /** The first hundred flags have no parents, so that they can be parents. */
  const dependencies = (index: number) => [
    { feature: `odd-${below(Math.min(index, 100))}`, ...pick({}, { enabled: true }, { enabled: false }) },
  ];
  const flag = (_: unknown, index: number): FlagSpec => {
    const strategies = Object.fromEntries([strategy(), ...some(2, strategy)].map((one, key) => [`s${key}`, one]));
    const spec = {
      variants: variants().map((variant) => ({ ...variant, ...overrides() })),
      environments: { production: { enabled: true, strategies } },
      ...(index >= 100 && pick({}, {}, { dependencies: dependencies(index) })),
    };
    return spec as FlagSpec;
  };
  const flags = new Map(Array.from({ length: count }, flag).map((spec, index) => [`odd-${index}`, spec]));
  const segments = SEGMENTS.map((name) => ({ name, constraints: some(2, constraint) }) as SegmentSpec);
  return { flags, segments };
}
