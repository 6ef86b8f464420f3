/** A flag for each rule that a flag can have: each operator, each strategy type, a segment, a parent, an override. */
import type { Constraint } from '../../src/schema/constraint.ts';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { SegmentSpec } from '../../src/schema/segment.ts';
import type { Strategy } from '../../src/schema/strategy.ts';
import type { builtInStrategyNames } from '../../src/schema/strategy-definition.ts';
import type { Variant } from '../../src/schema/variant.ts';

/** A custom strategy type. SDKs that do not know it evaluate it as off. */
export const OWN_TYPE = 'own-type';

/** The odd users for whom a flag is on. */
type Users = 'all' | 'some' | 'no';

export interface RuleFlag {
  readonly name: string;
  readonly spec: FlagSpec;
  readonly users: Users;
}

type Operand = Omit<Constraint, 'operator' | 'inverted'>;
const region = { contextName: 'region', values: ['eu'] };
const plan = { contextName: 'plan', value: '5' };
const version = { contextName: 'version', value: '1.2.3' };

const operands: Readonly<Record<Constraint['operator'], Operand>> = {
  IN: region,
  NOT_IN: region,
  STR_STARTS_WITH: { contextName: 'userId', values: ['u1'] },
  STR_ENDS_WITH: { contextName: 'userId', values: ['5'] },
  STR_CONTAINS: { contextName: 'userId', values: ['7'] },
  IN_CIDR: { contextName: 'address', values: ['10.0.0.0/16'] },
  NUM_EQ: plan,
  NUM_GT: plan,
  NUM_GTE: plan,
  NUM_LT: plan,
  NUM_LTE: plan,
  DATE_AFTER: { contextName: 'currentTime', value: '2020-01-01T00:00:00Z' },
  DATE_BEFORE: { contextName: 'currentTime', value: '9020-01-01T00:00:00Z' },
  SEMVER_EQ: version,
  SEMVER_GT: version,
  SEMVER_GTE: version,
  SEMVER_LT: version,
  SEMVER_LTE: version,
  REGEX: { contextName: 'userId', value: '^u1' },
};

type TypeName = (typeof builtInStrategyNames)[number] | typeof OWN_TYPE;

/** Parameters without groupId and stickiness, which Vexil adds. */
const types: Readonly<Record<TypeName, { readonly parameters: object; readonly users: Users }>> = {
  default: { parameters: {}, users: 'all' },
  userWithId: { parameters: { userIds: 'u1,ü' }, users: 'some' },
  flexibleRollout: { parameters: { rollout: 50 }, users: 'some' },
  gradualRolloutUserId: { parameters: { percentage: 50 }, users: 'some' },
  gradualRolloutSessionId: { parameters: { percentage: 50 }, users: 'some' },
  gradualRolloutRandom: { parameters: { percentage: 100 }, users: 'all' },
  remoteAddress: { parameters: { IPs: '10.0.0.1' }, users: 'some' },
  applicationHostname: { parameters: { hostNames: 'no-such-host.invalid' }, users: 'no' },
  [OWN_TYPE]: { parameters: { text: 'a' }, users: 'no' },
};

export const ruleSegment: SegmentSpec = { name: 'in-eu', constraints: [{ ...region, operator: 'IN' }] };

function withStrategy(one: Strategy): FlagSpec {
  return { environments: { production: { enabled: true, strategies: { one } } } };
}

function withConstraint(constraint: Constraint): FlagSpec {
  return withStrategy({ name: 'default', constraints: [constraint] });
}

function ofOperator([name, operand]: [string, Operand]): readonly RuleFlag[] {
  const operator = name as Constraint['operator'];
  const flag = `operator-${name.toLowerCase().replaceAll('_', '-')}`;
  const isDate = name.startsWith('DATE_');
  return [
    { name: flag, spec: withConstraint({ ...operand, operator }), users: isDate ? 'all' : 'some' },
    {
      name: `${flag}-inverted`,
      spec: withConstraint({ ...operand, operator, inverted: true }),
      users: isDate ? 'no' : 'some',
    },
  ];
}

/** SDKs would disagree about this value, so Vexil does not serve the strategy (docs/sdk.md). */
const large: Constraint = { contextName: 'version', operator: 'SEMVER_LT', value: '99999999999999999999.0.0' };

const ofTypes = Object.entries(types).map(([type, { parameters, users }]): RuleFlag => {
  const spec = withStrategy({ name: type, parameters } as Strategy);
  return { name: `type-${type.toLowerCase()}`, spec, users };
});

export const OVERRIDE = 'override';

/** A variant only for user `ü`. */
const overridden: Variant = {
  name: 'named',
  weightType: 'fix',
  weight: 0,
  overrides: [{ contextName: 'userId', values: ['ü'] }],
};

export const ruleFlags: readonly RuleFlag[] = [
  ...Object.entries(operands).flatMap(ofOperator),
  { name: 'version-large', spec: withConstraint(large), users: 'no' },
  { name: 'version-large-inverted', spec: withConstraint({ ...large, inverted: true }), users: 'no' },
  ...ofTypes,
  { name: 'segment', spec: withStrategy({ name: 'default', segments: ['in-eu'] }), users: 'some' },
  {
    name: 'parent',
    spec: { ...withStrategy({ name: 'default' }), dependencies: [{ feature: 'type-userwithid' }] },
    users: 'some',
  },
  {
    name: OVERRIDE,
    spec: { ...withStrategy({ name: 'default' }), variants: [{ name: 'other' }, overridden] },
    users: 'all',
  },
];
