/** Reads the segments of Flagsmith. */

import { recordsIn } from '../../../src/model/json.ts';
import { all, conjunction, disjunction, inverted, NEVER, type Read } from '../rules/alternatives.ts';
import type { Given } from '../rules/records.ts';
import { DEFAULT_FIELD, type Share } from '../rules/targeting-rule.ts';
import { readCondition } from './condition.ts';

export interface SegmentParts {
  /** Undefined if Vexil has no such condition. */
  readonly when: Read;
  /** The percentage of the users, if the segment has one. */
  readonly share: Share | undefined;
}

/** All rules must hold. */
export function readFlagsmithSegment({ rules }: Given): SegmentParts {
  const list = recordsIn(rules);
  if (list.length === 0) return { when: NEVER, share: undefined };
  const shares: Share[] = [];
  const when = conjunction(list.map((rule) => readRule(rule, shares)));
  return { when: shares.length > 1 ? undefined : when, share: shares[0] };
}

/** People do not nest rules deeper. */
const MAX_DEPTH = 20;

/** The conditions of a rule, and the rules inside it, must hold in the same way. */
function readRule(rule: Given, shares: Share[] | undefined, depth = 0): Read {
  if (depth > MAX_DEPTH) return undefined;
  const [conditions, rules] = [recordsIn(rule['conditions']), recordsIn(rule['rules'])];
  const type = String(rule['type']);
  // A percentage beside other conditions is one that must hold for all of them alone.
  const isRequired = type === 'ALL' || conditions.length + rules.length === 1;
  const own = isRequired && type !== 'NONE' ? shares : undefined;
  return conjunction([
    ...(conditions.length > 0
      ? [
          combined(
            type,
            conditions.map((one) => conditionOf(one, own)),
          ),
        ]
      : []),
    ...(rules.length > 0
      ? [
          combined(
            type,
            rules.map((one) => readRule(one, own, depth + 1)),
          ),
        ]
      : []),
  ]);
}

/** A percentage is collected where it applies to all users of the segment. */
function conditionOf(condition: Given, shares: Share[] | undefined): Read {
  if (condition['operator'] !== 'PERCENTAGE_SPLIT') return readCondition(condition);
  const { property_: named, property = named, value } = condition;
  const percent = Number.parseFloat(String(value));
  const isOfUser = [undefined, null, '', '$.identity.identifier', '$.identity.key'].includes(property as string);
  if (!shares || !isOfUser || !(percent >= 0 && percent <= 100)) return undefined;
  shares.push({ percent, stickiness: DEFAULT_FIELD });
  return conjunction([]);
}

function combined(type: string, read: readonly Read[]): Read {
  if (type === 'ALL') return conjunction(read);
  if (type === 'ANY') return disjunction(read);
  return type === 'NONE' ? all(read) && conjunction(read.map((one) => inverted(one))) : undefined;
}
