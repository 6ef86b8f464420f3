/** Strategies as sentences. */
import type { Schemas } from '../api.generated.ts';

type Strategy = Schemas['Strategy'];

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
export function strategySentence(stored: Strategy, nameOfSegment: SegmentNames, rollout?: number): string {
  const strategy = rollout === undefined ? stored : { ...stored, parameters: { ...stored.parameters, rollout } };
  const { title, constraints, segments = [], variants = [], disabled } = strategy;
  const conditions = [...constraints.map(constraintText), ...segments.map((id) => `in segment ${nameOfSegment(id)}`)];
  const where = conditions.length === 0 ? '' : `, if ${conditions.join(' and ')}`;
  const which = variants.length === 0 ? '' : `, with the variants ${variants.map(variantText).join(', ')}`;
  return `${title ? `${title}: ` : ''}${disabled ? 'Disabled: ' : ''}${peopleOf(strategy)}${where}${which}.`;
}

export function variantText({ name, weight, payload }: Schemas['Variant']): string {
  return `${name} ${weight / 10} %${payload ? ` with ${payload.value}` : ''}`;
}

function peopleOf({ name, parameters }: Strategy): string {
  if (name === 'default') return 'On for everyone';
  if (name === 'flexibleRollout') {
    return `On for ${parameters['rollout']} % by ${parameters['stickiness'] ?? 'default'}`;
  }
  const settings = Object.entries(parameters).map(([key, value]) => `${key} ${textOf(value)}`);
  return `On by ${name}${settings.length === 0 ? '' : ` (${settings.join(', ')})`}`;
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
