/** Reads a rule of GO Feature Flag: a query, and the variation that its users get. */
import { isRecord, recordOf } from '../../../src/model/json.ts';
import { readCondition } from '../flagd/condition.ts';
import { ALWAYS, type Read } from '../rules/alternatives.ts';
import { evenRamp } from '../rules/ramp.ts';
import { type Given, textOf } from '../rules/records.ts';
import { type Outcome, one, type TargetingRule, totalWeight } from '../rules/targeting-rule.ts';
import { readQuery } from './query.ts';

/** What rules of one flag share. */
export interface Around {
  readonly variations: Given;
  /** The context field that decides about percentages. */
  readonly stickiness: string;
}

/** Returns undefined if Vexil has no such rule. */
export function readRule(rule: Given, around: Around): readonly TargetingRule[] | undefined {
  if (rule['disable'] === true) return [];
  const query = textOf(rule['query'])?.trim();
  const when = query === undefined ? ALWAYS : conditionOf(query);
  return when && outcomesOf(rule, when, around);
}

/** A query that is an object is JsonLogic, as in flagd, without the operators that flagd adds. */
function conditionOf(query: string): Read {
  if (!query.startsWith('{')) return readQuery(query);
  return OF_FLAGD.test(query) ? undefined : readCondition(parsed(query), {});
}

const OF_FLAGD = /"(starts_with|ends_with|sem_ver|fractional|\$ref)"/;

/** The key of the user is a field here, which flagd calls the targeting key. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (name, value: unknown) => (name === 'var' && value === 'key' ? 'targetingKey' : value));
  } catch {
    return undefined;
  }
}

/** A default rule has neither a query nor a switch. */
export function outcomesOf(
  rule: Given,
  when: TargetingRule['when'],
  around: Around,
): readonly TargetingRule[] | undefined {
  const { progressiveRollout, percentage, variation } = rule;
  if (isRecord(progressiveRollout)) return progressive(progressiveRollout, when, around);
  const percentages = Object.entries(recordOf(percentage));
  const outcome =
    percentages.length > 0
      ? split(percentages, around.stickiness)
      : typeof variation === 'string'
        ? one(variation)
        : undefined;
  return outcome && [{ when, outcome }];
}

/** Percentages must be all users. */
function split(percentages: readonly (readonly [string, unknown])[], stickiness: string): Outcome | undefined {
  const shares = percentages.map(([variant, weight]) => ({ variant, weight: Number(weight) }));
  if (!(Math.abs(totalWeight(shares) - 100) < 0.01) || shares.some(({ weight }) => weight < 0)) return undefined;
  return { shares: shares.filter(({ weight }) => weight > 0), stickiness };
}

/** The share of the last variation moves evenly from its first percentage to its last one. */
function progressive(
  given: Given,
  when: TargetingRule['when'],
  { variations, stickiness }: Around,
): readonly TargetingRule[] | undefined {
  const [initial, end] = [recordOf(given['initial']), recordOf(given['end'])];
  const [before, after] = [textOf(initial['variation']), textOf(end['variation'])];
  const [from, until] = [Date.parse(String(initial['date'])), Date.parse(String(end['date']))];
  if (before === undefined || after === undefined || !(until > from)) return undefined;
  const percentages = [percentOf(initial), endOf(percentOf(end))] as const;
  // Strategies of a flag that is on or off say who gets true.
  const isFalling = variations[after] === false;
  const [first, last] = isFalling ? percentages.map((percent) => 100 - percent) : percentages;
  const ramp = evenRamp({ from: first ?? 0, to: last ?? 0, start: from, end: until });
  const share = { percent: first ?? 0, stickiness, ...(ramp && { ramp }) };
  return [
    { when, share, outcome: one(isFalling ? before : after) },
    { when, outcome: one(isFalling ? after : before) },
  ];
}

function percentOf({ percentage }: Given): number {
  return typeof percentage === 'number' ? percentage : 0;
}

/** An end without a percentage is everyone. */
function endOf(percent: number): number {
  return percent === 0 || percent > 100 ? 100 : percent;
}
