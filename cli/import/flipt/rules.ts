/** Reads the rules and rollouts of a flag of Flipt. */

import { recordOf, recordsIn } from '../../../src/model/json.ts';
import { ALWAYS, all } from '../rules/alternatives.ts';
import type { Given } from '../rules/records.ts';
import { DEFAULT_FIELD, type Outcome, one, type TargetingRule, totalWeight } from '../rules/targeting-rule.ts';
import type { FliptSegments } from './segments.ts';

type ConditionOf = FliptSegments['conditionOf'];
type TargetingRules = readonly TargetingRule[] | undefined;

/** `enabled` of a boolean flag is the value for users to whom no rollout applies. */
export function booleanRules({ enabled, rollouts }: Given, conditionOf: ConditionOf): TargetingRules {
  const list = recordsIn(rollouts);
  const byDefault = `${enabled === true}`;
  const rules = list.map((rollout, index): TargetingRule | undefined => {
    if ('threshold' in rollout) {
      const { percentage = 0, value } = recordOf(rollout['threshold']);
      return threshold(Number(percentage), `${value === true}`, index === list.length - 1 ? byDefault : undefined);
    }
    const when = conditionOf(rollout);
    return when && { when, outcome: one(`${recordOf(rollout['segment'])['value'] === true}`) };
  });
  return all([...rules, { when: ALWAYS, outcome: one(byDefault) }]);
}

/** The rollouts after a threshold decide about the other users; after the last one, the default of the flag. */
function threshold(percent: number, value: string, others: string | undefined): TargetingRule | undefined {
  if (!(percent >= 0 && percent <= 100)) return undefined;
  if (others === undefined) return { when: ALWAYS, share: { percent, stickiness: DEFAULT_FIELD }, outcome: one(value) };
  const shares = [
    { variant: value, weight: percent },
    { variant: others, weight: 100 - percent },
  ];
  return { when: ALWAYS, outcome: { shares: shares.filter(({ weight }) => weight > 0), stickiness: DEFAULT_FIELD } };
}

/** Without variants, a flag is on for those for whom a rule holds. */
export function matchRules({ rules }: Given, conditionOf: ConditionOf): TargetingRules {
  const read = recordsIn(rules).map((rule) => {
    const when = conditionOf(rule);
    return when && { when, outcome: one('true') };
  });
  return all([...read, { when: ALWAYS, outcome: one('false') }]);
}

/** The first rule that holds decides, also for users to whom it gives nothing: those get the default variant. */
export function variantRules({ rules, variants }: Given, conditionOf: ConditionOf): TargetingRules {
  const list = recordsIn(rules);
  const byDefault = recordsIn(variants).find((variant) => variant['default'] === true)?.['key'];
  const read = list.map((rule, index): TargetingRule | undefined => {
    const when = conditionOf(rule);
    const shares = recordsIn(rule['distributions'])
      .map(({ variant, rollout }) => ({ variant: String(variant), weight: Number(rollout) }))
      .filter(({ weight }) => weight > 0);
    const isLast = index === list.length - 1 && byDefault === undefined;
    return when && distributed({ when, shares, byDefault, isLast });
  });
  const last = byDefault === undefined ? [] : [{ when: ALWAYS, outcome: one(String(byDefault)) }];
  return all([...read, ...last]);
}

interface Distributed {
  readonly when: TargetingRule['when'];
  readonly shares: Outcome['shares'];
  readonly byDefault: unknown;
  /** No rule and no default follows. */
  readonly isLast: boolean;
}

function distributed({ when, shares, byDefault, isLast }: Distributed): TargetingRule | undefined {
  const outcome: Outcome = { shares, stickiness: DEFAULT_FIELD };
  const percent = totalWeight(shares);
  if (byDefault !== undefined)
    return { when, outcome: { ...outcome, shares: filled(shares, String(byDefault), percent) } };
  // A rule without a distribution holds, and gives no variant.
  if (shares.length === 0 || isWhole(percent)) return { when, outcome };
  return isLast && percent < 100 ? { when, share: { percent, stickiness: DEFAULT_FIELD }, outcome } : undefined;
}

/** Shares of a third are written as 33.33. */
function isWhole(percent: number): boolean {
  return Math.abs(percent - 100) < 0.1;
}

function filled(shares: Outcome['shares'], byDefault: string, percent: number): Outcome['shares'] {
  return isWhole(percent) ? shares : [...shares, { variant: byDefault, weight: 100 - percent }];
}
