/** Strategies for rules whose variants have values: the first that applies chooses the variant. */
import type { Strategy } from '../../../src/schema/strategy.ts';
import type { Payload, Variant } from '../../../src/schema/variant.ts';
import { all, conjunction, inverted, type Read } from './alternatives.ts';
import { OTHER_USERS, roundingNotes, type Strategies, strategyOf } from './strategies.ts';
import { type Outcome, type Share, type TargetingRule, totalWeight } from './targeting-rule.ts';

/** Returns undefined if constraints cannot exclude the users for whom an earlier rule is off. */
export function variantStrategies(
  flag: string,
  rules: readonly TargetingRule[],
  payloads: ReadonlyMap<string, Payload>,
): Strategies | undefined {
  const strategies = all(
    rules.map(({ when, share, outcome, isOff }, index) => {
      if (isOff) return [];
      const offBefore = rules.slice(0, index).filter((rule) => rule.isOff);
      return conjunction([...offBefore.map(othersThan), when])?.map(
        (terms): Strategy => ({
          ...strategyOf(flag, terms, partOf(share, outcome)),
          ...(outcome.shares.length > 0 && { variants: variantsOf(outcome, payloads) }),
        }),
      );
    }),
  );
  const isSplit = rules.some(({ share, outcome }) => share || outcome.shares.length > 1);
  const percentages = rules.flatMap(({ share }) => share?.percent ?? []);
  return (
    strategies && {
      strategies: strategies.flat(),
      notes: [...(isSplit ? [OTHER_USERS] : []), ...roundingNotes(percentages)],
    }
  );
}

/** Constraints cannot tell a share of the users. */
function othersThan({ when, share }: TargetingRule): Read {
  return share ? undefined : inverted(when);
}

/** Variants of several users have the stickiness of the strategy, so it needs a type that has one. */
function partOf(share: Share | undefined, { shares, stickiness }: Outcome): Share | undefined {
  if (share) return { ...share, percent: Math.round(share.percent) };
  return shares.length > 1 ? { percent: 100, stickiness } : undefined;
}

/** Returns weights in thousandths. The last variant gets what is left. */
function variantsOf({ shares, stickiness }: Outcome, payloads: ReadonlyMap<string, Payload>): Variant[] {
  const total = totalWeight(shares);
  return shares.map(({ variant, weight }, index) => {
    const isLast = index === shares.length - 1;
    return {
      name: variant,
      ...(!isLast && { weightType: 'fix', weight: Math.round((weight / total) * 1000) }),
      ...(shares.length > 1 && { stickiness }),
      payload: payloads.get(variant) ?? null,
    };
  });
}
