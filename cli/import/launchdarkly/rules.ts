/** Reads the targets, rules and fallthrough of a LaunchDarkly flag in one environment. */

import { recordOf, recordsIn } from '../../../src/model/json.ts';
import { ALWAYS, all } from '../rules/alternatives.ts';
import { oneOf } from '../rules/comparison.ts';
import { type Given, listOf } from '../rules/records.ts';
import { DEFAULT_FIELD, type Outcome, one, type TargetingRule } from '../rules/targeting-rule.ts';
import { type FindSegment, fieldOf, isUser, readClauses } from './clause.ts';

/** Targets come first, then rules, then the fallthrough. Returns undefined if Vexil has no such rules. */
export function rulesOf(
  place: Given,
  names: readonly string[],
  find: FindSegment,
): readonly TargetingRule[] | undefined {
  const rules = recordsIn(place['rules']).map((rule) => {
    return ruleOf(readClauses(rule['clauses'], find), outcomeOf(rule, names));
  });
  const last = ruleOf(ALWAYS, outcomeOf(recordOf(place['fallthrough']), names));
  return all([...targetsOf(place, names), ...rules, last]);
}

function targetsOf(place: Given, names: readonly string[]): readonly (TargetingRule | undefined)[] {
  // For users, `contextTargets` only says the order of `targets`.
  const others = recordsIn(place['contextTargets']).filter(({ contextKind }) => !isUser(contextKind));
  const targets = [...recordsIn(place['targets']), ...others].filter(({ values }) => listOf(values).length > 0);
  return targets.map(({ values, variation, contextKind }) => {
    const when = isUser(contextKind)
      ? oneOf({ field: DEFAULT_FIELD, operator: 'IN', values: listOf(values) })
      : undefined;
    return ruleOf(when, outcomeOf({ variation }, names));
  });
}

function ruleOf(when: TargetingRule['when'] | undefined, outcome: Outcome | undefined): TargetingRule | undefined {
  return when && outcome && { when, outcome };
}

function outcomeOf({ variation, rollout }: Given, names: readonly string[]): Outcome | undefined {
  const nameOf = (index: unknown) => (typeof index === 'number' ? names[index] : undefined);
  if (rollout === undefined || rollout === null) {
    const name = nameOf(variation);
    return name === undefined ? undefined : one(name);
  }
  const { variations, bucketBy, contextKind } = recordOf(rollout);
  const stickiness = fieldOf(bucketBy ?? 'key');
  const shares = all(
    recordsIn(variations).map(({ variation: index, weight }) => {
      const variant = nameOf(index);
      return variant !== undefined && typeof weight === 'number' ? { variant, weight } : undefined;
    }),
  )?.filter(({ weight }) => weight > 0);
  if (!shares || shares.length === 0 || stickiness === undefined || !isUser(contextKind)) return undefined;
  return { shares, stickiness };
}
