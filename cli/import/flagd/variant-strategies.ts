/** Strategies for rules of flagd whose variants have values: the first that applies chooses the variant. */
import type { Strategy } from '../../../src/schema/strategy.ts';
import type { Payload, Variant } from '../../../src/schema/variant.ts';
import type { Outcome, TargetingRule } from './targeting.ts';

export interface Strategies {
  readonly strategies: readonly Strategy[];
  /** Differences from the behaviour in flagd. */
  readonly notes: readonly string[];
}

export const OTHER_USERS =
  'It is written as shares of the same size. Other users get them than with flagd, which hashes in another way.';

export function variantStrategies(
  flag: string,
  rules: readonly TargetingRule[],
  payloads: ReadonlyMap<string, Payload>,
): Strategies {
  const strategies = rules.flatMap(({ when, outcome }) =>
    when.map((constraints): Strategy => {
      const isSplit = outcome.shares.length > 1;
      const parameters = { rollout: 100, groupId: flag, stickiness: outcome.stickiness };
      return {
        name: isSplit ? 'flexibleRollout' : 'default',
        ...(isSplit && { parameters }),
        ...(constraints.length > 0 && { constraints: [...constraints] }),
        variants: variantsOf(outcome, payloads),
      };
    }),
  );
  return { strategies, notes: rules.some(({ outcome }) => outcome.shares.length > 1) ? [OTHER_USERS] : [] };
}

/** Returns weights in thousandths. The last variant gets what is left. */
function variantsOf({ shares, stickiness }: Outcome, payloads: ReadonlyMap<string, Payload>): Variant[] {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
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
