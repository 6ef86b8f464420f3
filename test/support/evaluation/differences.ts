/** The cases in which evaluators disagree. docs/evaluation.md lists them, and any-document.ts makes none of them. */

import { hostname } from 'node:os';
import type { ClientDocument } from '../../../src/wire/client/read-document.ts';
import type { Answer, GivenContext } from './answers.ts';
import { aFeature } from './documents.ts';

/** `on` and `off` have no variant; otherwise the name of the variant. */
type Brief = 'on' | 'off' | 'a' | 'b';

interface Answers {
  readonly vexil: Brief;
  readonly node: Brief;
  readonly yggdrasil: Brief;
}

export interface Difference extends Answers {
  readonly what: string;
  /** The document. Its first flag is the one that differs. */
  readonly document: ClientDocument;
  readonly context: GivenContext;
}

export function inBrief({ enabled, variant }: Answer): string {
  if (variant.enabled) return variant.name;
  return enabled ? 'on' : 'off';
}

type Feature = Parameters<typeof aFeature>[0];
type Strategy = NonNullable<Feature['strategies']>[number];
type Constraint = NonNullable<Strategy['constraints']>[number];

function ofFeatures(...features: readonly Feature[]): ClientDocument {
  return { features: features.map(aFeature), segments: [] };
}

function ofStrategies(...strategies: readonly Strategy[]): ClientDocument {
  return ofFeatures({ strategies });
}

function ofConstraint(constraint: Constraint): ClientDocument {
  return ofStrategies({ constraints: [{ contextName: 'x', ...constraint }] });
}

function ofRollout(rollout: string, parameters: Readonly<Record<string, string>>): ClientDocument {
  return ofStrategies({ name: 'flexibleRollout', parameters: { rollout, stickiness: 'default', ...parameters } });
}

const x = (value: string): GivenContext => ({ properties: { x: value } });
const everyone: Strategy = { name: 'default' };
const either = [
  { name: 'a', weight: 500 },
  { name: 'b', weight: 500 },
];

const onlyNodeIsOn: Answers = { vexil: 'off', node: 'on', yggdrasil: 'off' };
const onlyNodeIsOff: Answers = { vexil: 'on', node: 'off', yggdrasil: 'on' };
const onlyYggdrasilIsOn: Answers = { vexil: 'off', node: 'off', yggdrasil: 'on' };
const onlyYggdrasilIsOff: Answers = { vexil: 'on', node: 'on', yggdrasil: 'off' };
const onlyVexilIsOff: Answers = { vexil: 'off', node: 'on', yggdrasil: 'on' };

const identities: readonly Difference[] = [
  {
    what: 'Node hashes the low byte of each UTF-16 unit, others UTF-8: bucket 65 or 9',
    document: ofRollout('20', { groupId: 'f' }),
    context: { userId: 'jürgen' },
    ...onlyNodeIsOff,
  },
  {
    what: 'without a groupId Node hashes with an empty group, others with the name of the flag',
    document: ofFeatures({ name: 'shop', strategies: ofRollout('50', {}).features[0]?.strategies ?? [] }),
    context: { userId: 'user-4' },
    ...onlyNodeIsOff,
  },
  {
    what: 'without a groupId a gradual rollout is off in Yggdrasil',
    document: ofStrategies({ name: 'gradualRolloutUserId', parameters: { percentage: '100' } }),
    context: { userId: 'user-1' },
    ...onlyYggdrasilIsOff,
  },
  {
    what: 'an empty id is an id in Yggdrasil alone',
    document: ofRollout('100', { groupId: 'g', stickiness: 'userId' }),
    context: { userId: '' },
    ...onlyYggdrasilIsOn,
  },
  {
    what: 'an empty userId is in a list with an empty entry, but not in Vexil',
    document: ofStrategies({ name: 'userWithId', parameters: { userIds: 'a,,b' } }),
    context: { userId: '' },
    ...onlyVexilIsOff,
  },
  {
    what: 'Node does not trim the ends of a list of users',
    document: ofStrategies({ name: 'userWithId', parameters: { userIds: ' a , b ' } }),
    context: { userId: 'a' },
    ...onlyNodeIsOff,
  },
  {
    what: 'a percentage with decimals is off in Yggdrasil',
    document: ofRollout('100.0', { groupId: 'g' }),
    context: { userId: 'user-1' },
    ...onlyYggdrasilIsOff,
  },
  {
    what: 'applicationHostname is about the host of the evaluating program, which a server cannot know',
    document: ofStrategies({
      name: 'applicationHostname',
      parameters: { hostNames: [hostname(), process.env['HOSTNAME'] ?? ''].join(',') },
    }),
    context: {},
    ...onlyNodeIsOn,
  },
];

const addresses: readonly Difference[] = [
  {
    what: 'Node takes ranges of IPv6 in the remoteAddress strategy for text',
    document: ofStrategies({ name: 'remoteAddress', parameters: { IPs: '2001:db8::/32' } }),
    context: { remoteAddress: '2001:db8::1' },
    ...onlyNodeIsOff,
  },
  {
    what: 'Node compares entries of the remoteAddress strategy that are no address as text',
    document: ofStrategies({ name: 'remoteAddress', parameters: { IPs: 'proxy' } }),
    context: { remoteAddress: 'proxy' },
    ...onlyNodeIsOn,
  },
  {
    what: 'Node trims the entries of IN_CIDR',
    document: ofConstraint({ operator: 'IN_CIDR', values: [' 10.0.0.0/8 '] }),
    context: x('10.1.2.3'),
    ...onlyNodeIsOn,
  },
];

const constraints: readonly Difference[] = [
  {
    what: 'Node trims the values of IN, NOT_IN and STR_…',
    document: ofConstraint({ operator: 'IN', values: [' a '] }),
    context: x('a'),
    ...onlyNodeIsOn,
  },
  {
    what: 'Node drops empty values of IN, NOT_IN and STR_…',
    document: ofConstraint({ operator: 'STR_STARTS_WITH', values: [''] }),
    context: x('a'),
    ...onlyNodeIsOff,
  },
  {
    what: 'Node reads an empty text as the number 0',
    document: ofConstraint({ operator: 'NUM_EQ', value: '0' }),
    context: x(''),
    ...onlyNodeIsOn,
  },
  {
    what: 'Node reads numbers with spaces around them',
    document: ofConstraint({ operator: 'NUM_EQ', value: '5' }),
    context: x(' 5 '),
    ...onlyNodeIsOn,
  },
  {
    what: 'Node reads hexadecimal numbers',
    document: ofConstraint({ operator: 'NUM_EQ', value: '16' }),
    context: x('0x10'),
    ...onlyNodeIsOn,
  },
  {
    what: 'Yggdrasil reads inf as a number',
    document: ofConstraint({ operator: 'NUM_GT', value: '5' }),
    context: x('inf'),
    ...onlyYggdrasilIsOn,
  },
  {
    what: 'Node reads versions with spaces around them',
    document: ofConstraint({ operator: 'SEMVER_EQ', value: '1.2.3' }),
    context: x(' 1.2.3 '),
    ...onlyNodeIsOn,
  },
  {
    what: 'Node rejects versions with numbers above 2^53',
    document: ofConstraint({ operator: 'SEMVER_GT', value: '1.2.3' }),
    context: x('9007199254740993.0.0'),
    ...onlyNodeIsOff,
  },
  {
    what: 'Node compares dates with currentTime, whatever field the constraint names',
    document: ofConstraint({ operator: 'DATE_AFTER', value: '2026-01-01T00:00:00.000Z' }),
    context: { currentTime: '2020-01-01T00:00:00.000Z', ...x('2027-01-01T00:00:00.000Z') },
    ...onlyNodeIsOff,
  },
  {
    what: 'a bare date in the context is no date in Yggdrasil',
    document: ofConstraint({ contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-01-01T00:00:00.000Z' }),
    context: { currentTime: '2027-01-01' },
    ...onlyYggdrasilIsOff,
  },
  {
    what: 'a context without currentTime has none in Node, for operators other than DATE_…',
    document: ofConstraint({ contextName: 'currentTime', operator: 'REGEX', value: '^20' }),
    context: {},
    ...onlyNodeIsOff,
  },
  {
    what: 'an operand that cannot be read makes an inverted constraint hold in Node',
    document: ofConstraint({ operator: 'NUM_EQ', value: 'five', inverted: true }),
    context: x('5'),
    ...onlyNodeIsOn,
  },
];

const wholeFlags: readonly Difference[] = [
  {
    what: 'an operand that cannot be read switches the whole flag off in Yggdrasil',
    document: ofStrategies({ constraints: [{ contextName: 'x', operator: 'NUM_EQ', value: '.5' }] }, everyone),
    context: {},
    ...onlyYggdrasilIsOff,
  },
  {
    what: 'an unknown operator switches the whole flag off in Yggdrasil',
    document: ofStrategies({ constraints: [{ operator: 'NO_SUCH_OPERATOR' }] }, everyone),
    context: {},
    ...onlyYggdrasilIsOff,
  },
  {
    what: 'a segment that is absent switches the whole flag off in Yggdrasil',
    document: ofStrategies({ segments: [9] }, everyone),
    context: {},
    ...onlyYggdrasilIsOff,
  },
  {
    what: 'a parent that must be off must not give the user a variant that is named, in Yggdrasil',
    document: ofFeatures(
      { name: 'child', dependencies: [{ feature: 'parent', enabled: false, variants: ['a'] }] },
      { name: 'parent', enabled: false, variants: either },
    ),
    context: { userId: 'user-1' },
    ...onlyYggdrasilIsOff,
  },
  {
    what: 'a parent without variants has any variant in Yggdrasil',
    document: ofFeatures({ name: 'child', dependencies: [{ feature: 'parent', variants: ['a'] }] }, { name: 'parent' }),
    context: {},
    ...onlyYggdrasilIsOn,
  },
];

/**
 * Buckets of 1000: user-1 has 218 in the group shop, user-2 has 762; user-4 has 404, and 925 in the group undefined.
 */
const variants: readonly Difference[] = [
  {
    what: 'the stickiness of strategy variants is that of the first one, in Yggdrasil that of the strategy',
    document: ofStrategies({
      name: 'flexibleRollout',
      parameters: { rollout: '100', groupId: 'shop', stickiness: 'userId' },
      variants: either.map((one) => ({ ...one, stickiness: 'sessionId' })),
    }),
    context: { userId: 'user-1', sessionId: 'user-2' },
    vexil: 'b',
    node: 'b',
    yggdrasil: 'a',
  },
  {
    what: 'without a groupId Node hashes strategy variants with the group "undefined"',
    document: ofFeatures({ name: 'shop', strategies: [{ parameters: { stickiness: 'userId' }, variants: either }] }),
    context: { userId: 'user-4' },
    vexil: 'a',
    node: 'b',
    yggdrasil: 'a',
  },
  {
    what: 'an override chooses a variant in Yggdrasil where no variant has a weight',
    document: ofFeatures({
      variants: [{ name: 'a', weight: 0, overrides: [{ contextName: 'userId', values: ['user-1'] }] }],
    }),
    context: { userId: 'user-1' },
    vexil: 'on',
    node: 'on',
    yggdrasil: 'a',
  },
];

export const differences: readonly Difference[] = [
  ...identities,
  ...addresses,
  ...constraints,
  ...wholeFlags,
  ...variants,
];
