/**
 * Strategies for rules whose variants are true and false: a flag is on where one of its strategies applies.
 */
import { ALWAYS, all, conjunction, inverted, type Read } from './alternatives.ts';
import { OTHER_USERS, roundingNotes, type Strategies, strategyOf } from './strategies.ts';
import { type Outcome, type Share, type TargetingRule, totalWeight } from './targeting-rule.ts';

/** Returns undefined if constraints cannot exclude the users whom an earlier rule keeps off. */
export function booleanStrategies(
  flag: string,
  rules: readonly TargetingRule[],
  values: ReadonlyMap<string, unknown>,
): Strategies | undefined {
  const shares = rules.map((rule) => shareOf(rule, values));
  const strategies = all(
    rules.map(({ when }, index) => {
      const share = shares[index];
      if (!share || isEmptyShare(share)) return [];
      const others = rules.slice(0, index).map((rule) => othersThan(rule, values));
      return conjunction([...others, when])?.map((terms) =>
        strategyOf(flag, terms, share === 'everyone' ? undefined : { ...share, percent: Math.round(share.percent) }),
      );
    }),
  );
  return strategies && { strategies: strategies.flat(), notes: notesOf(shares) };
}

/** The users for whom the rules after this one decide, or for whom the flag is on anyway. */
function othersThan(rule: TargetingRule, values: ReadonlyMap<string, unknown>): Read {
  const { when, unless, share, outcome } = rule;
  if (percentTrue(outcome, values) === 100) return ALWAYS;
  // Constraints cannot tell the share of users whom the rule keeps off.
  return share ? undefined : (unless ?? inverted(when));
}

type Part = Share | 'everyone' | undefined;

/** The share of the users for whom the rule says true; undefined if there is none. */
function shareOf({ share, outcome }: TargetingRule, values: ReadonlyMap<string, unknown>): Part {
  const percent = percentTrue(outcome, values);
  if (percent === 0) return undefined;
  if (share) return share;
  return percent === 100 ? 'everyone' : { percent, stickiness: outcome.stickiness };
}

function isEmptyShare(share: Share | 'everyone'): boolean {
  return share !== 'everyone' && !share.ramp && Math.round(share.percent) === 0;
}

function percentTrue({ shares }: Outcome, values: ReadonlyMap<string, unknown>): number {
  const on = shares.filter(({ variant }) => values.get(variant) === true);
  return (totalWeight(on) / totalWeight(shares)) * 100;
}

function notesOf(shares: readonly Part[]): readonly string[] {
  const percentages = shares.flatMap((share) => (typeof share === 'object' ? [share.percent] : []));
  return [...(percentages.length > 0 ? [OTHER_USERS] : []), ...roundingNotes(percentages)];
}
