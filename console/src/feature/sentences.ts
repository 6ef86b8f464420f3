/** Strategies as sentences. */
import type { Schemas } from '../api.generated.ts';

/** The name of the segment with an id. */
export type SegmentNames = (id: number) => string;

export const OPERATORS: Readonly<Record<Schemas['Constraint']['operator'], string>> = {
  IN: 'is one of',
  NOT_IN: 'is none of',
  STR_STARTS_WITH: 'starts with',
  STR_ENDS_WITH: 'ends with',
  STR_CONTAINS: 'contains',
  IN_CIDR: 'is in the network',
  NUM_EQ: '=',
  NUM_GT: '>',
  NUM_GTE: '≥',
  NUM_LT: '<',
  NUM_LTE: '≤',
  DATE_AFTER: 'is after',
  DATE_BEFORE: 'is before',
  SEMVER_EQ: 'is version',
  SEMVER_GT: 'is newer than version',
  SEMVER_GTE: 'is at least version',
  SEMVER_LT: 'is older than version',
  SEMVER_LTE: 'is at most version',
  REGEX: 'matches',
};

/** `rollout` is the percentage now, if it differs from the parameter. */
export function strategySentence(stored: Schemas['Strategy'], nameOfSegment: SegmentNames, rollout?: number): string {
  const strategy = withRollout(stored, rollout);
  const { title, constraints, segments = [], variants = [], disabled } = strategy;
  const conditions = [...constraints.map(constraintText), ...segments.map((id) => `in segment ${nameOfSegment(id)}`)];
  const where = conditions.length === 0 ? '' : `, if ${conditions.join(' and ')}`;
  const which = variants.length === 0 ? '' : `, with the variants ${variants.map(variantText).join(', ')}`;
  return `${title ? `${title}: ` : ''}${disabled ? 'Disabled: ' : ''}On for ${usersOf(strategy)}${where}${which}.`;
}

export function variantText({ name, weight, payload }: Schemas['Variant']): string {
  return `${name} ${weight / 10} %${payload ? ` with ${payload.value}` : ''}`;
}

/**
 * Says for whom the flag is on, such as "25 % of users, and segment staff"; without the strategies that are disabled.
 * `ramps` has the percentages now.
 */
export function audienceText(
  strategies: readonly Schemas['Strategy'][],
  ramps: readonly Schemas['RampStatus'][],
  nameOfSegment: SegmentNames,
): string {
  const now = (strategy: Schemas['Strategy']) => ramps.find(({ strategyId }) => strategyId === strategy.id)?.rollout;
  const some = strategies
    .filter(({ disabled }) => !disabled)
    .map((strategy) => whomOf(withRollout(strategy, now(strategy)), nameOfSegment));
  if (some.length === 0) return 'nobody';
  return [some.slice(0, -1).join(', '), ...some.slice(-1)].filter((part) => part !== '').join(', and ');
}

function withRollout(stored: Schemas['Strategy'], rollout: number | undefined): Schemas['Strategy'] {
  return rollout === undefined ? stored : { ...stored, parameters: { ...stored.parameters, rollout } };
}

function whomOf(strategy: Schemas['Strategy'], nameOfSegment: SegmentNames): string {
  const { name, constraints, segments = [] } = strategy;
  const named = segments.map((id) => `segment ${nameOfSegment(id)}`);
  if (name === 'default' && constraints.length === 0 && named.length > 0) return named.join(' and ');
  const conditions = [...constraints.map(constraintText), ...named.map((segment) => `in ${segment}`)];
  return `${usersOf(strategy)}${conditions.length === 0 ? '' : ` if ${conditions.join(' and ')}`}`;
}

function usersOf({ name, parameters }: Schemas['Strategy']): string {
  if (name === 'default') return 'everyone';
  if (name === 'flexibleRollout') {
    const stickiness = textOf(parameters['stickiness'] ?? 'default');
    return shareOf(`${parameters['rollout']}`, stickiness);
  }
  const settings = Object.entries(parameters).map(([key, value]) => `${key} ${listText(textOf(value))}`);
  return `users by ${name}${settings.length === 0 ? '' : ` (${settings.join(', ')})`}`;
}

/** With another stickiness than these, a user without the field is in no share, not even in all of them. */
const NEEDS_NO_FIELD = ['default', 'random'];

function shareOf(percent: string, stickiness: string): string {
  if (percent === '100') return NEEDS_NO_FIELD.includes(stickiness) ? 'everyone' : `everyone with a ${stickiness}`;
  const by = { default: '', random: ' by chance' }[stickiness] ?? ` by ${stickiness}`;
  return `${percent} % of users${by}`;
}

/** Lists among the parameters are texts with commas. */
function listText(text: string): string {
  return text.split(/,\s*/).join(', ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function constraintText(constraint: Schemas['Constraint']): string {
  const { contextName, operator, values, value, inverted, caseInsensitive } = constraint;
  const letters = caseInsensitive ? ' (in any case)' : '';
  const text = `${contextName} ${OPERATORS[operator]} ${value ?? values.join(', ')}${letters}`;
  return inverted ? `not (${text})` : text;
}

/** Describes the required state of the parent. */
export function dependencyText({ enabled, variants = [] }: Schemas['Dependency']): string {
  return `must be ${enabled ? 'on' : 'off'}${variants.length > 0 ? ` with ${variants.join(' or ')}` : ''}`;
}
