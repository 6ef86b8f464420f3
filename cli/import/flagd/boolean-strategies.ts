/**
 * Strategies for rules of flagd whose variants are true and false: a flag is on where one of its strategies applies.
 */
import type { Strategy } from '../../../src/schema/strategy.ts';
import { type Alternatives, all, inverted } from './condition.ts';
import type { Outcome, TargetingRule } from './targeting.ts';
import { OTHER_USERS, type Strategies } from './variant-strategies.ts';

/** Returns undefined if constraints cannot exclude the users whom an earlier rule keeps off. */
export function booleanStrategies(
  flag: string,
  rules: readonly TargetingRule[],
  values: ReadonlyMap<string, unknown>,
): Strategies | undefined {
  const shares = rules.map(({ outcome }) => shareOf(outcome, values));
  const excluded = rules.map(({ when }, index) => (shares[index] === 1 ? [[]] : inverted(when))).slice(0, -1);
  const known = all(excluded);
  if (!known) return undefined;
  const strategies = rules.flatMap(({ when, outcome }, index) => {
    const others = known.slice(0, index).flatMap(([constraints = []]) => constraints);
    const percent = Math.round((shares[index] ?? 0) * 100);
    if (percent === 0) return [];
    return when.map((constraints) => strategyOf({ flag, outcome, percent }, [...others, ...constraints]));
  });
  return { strategies, notes: notesOf(shares) };
}

function notesOf(shares: readonly number[]): readonly string[] {
  const parts = shares.filter((share) => share > 0 && share < 1).map((share) => share * 100);
  const rounded = parts
    .filter((percent) => !Number.isInteger(percent))
    .map((percent) => `${percent.toFixed(2)} percent are written as ${Math.round(percent)}: percentages are whole.`);
  return [...(parts.length > 0 ? [OTHER_USERS] : []), ...rounded];
}

/** Returns the share of users who get true, from 0 to 1. */
function shareOf({ shares }: Outcome, values: ReadonlyMap<string, unknown>): number {
  const sum = (list: Outcome['shares']) => list.reduce((total, { weight }) => total + weight, 0);
  return sum(shares.filter(({ variant }) => values.get(variant) === true)) / sum(shares);
}

interface Share {
  readonly flag: string;
  readonly outcome: Outcome;
  readonly percent: number;
}

function strategyOf({ flag, outcome, percent }: Share, constraints: Alternatives[number]): Strategy {
  const parameters = { rollout: percent, groupId: flag, stickiness: outcome.stickiness };
  return {
    name: percent === 100 ? 'default' : 'flexibleRollout',
    ...(percent < 100 && { parameters }),
    ...(constraints.length > 0 && { constraints: [...constraints] }),
  };
}
