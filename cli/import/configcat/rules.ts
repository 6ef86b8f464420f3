/** Reads the targeting rules, percentages and value of a setting of ConfigCat. */

import { recordOf, recordsIn } from '../../../src/model/json.ts';
import { ALWAYS, all, conjunction, disjunction, type Read } from '../rules/alternatives.ts';
import { filled } from '../rules/comparison.ts';
import type { Given } from '../rules/records.ts';
import { type Outcome, one, type TargetingRule, totalWeight } from '../rules/targeting-rule.ts';
import { namedValues } from '../rules/value-names.ts';
import { fieldOf, readCondition } from './comparator.ts';

/** Returns the condition of a segment by its index in the config. */
export type SegmentAt = (index: unknown) => Read;

export interface Setting {
  readonly given: Given;
  /** The segments of the config. */
  readonly segments: readonly Given[];
  readonly segmentAt: SegmentAt;
  readonly variants: ReadonlyMap<string, unknown>;
}

function servedValue({ v }: Given): unknown {
  const { b, s, i, d } = recordOf(v);
  return b ?? s ?? i ?? d;
}

/** The values by names that variants can have. */
export function variantsOf(setting: Given): ReadonlyMap<string, unknown> {
  const rules = recordsIn(setting['r']);
  const served = rules.flatMap((rule) => [...recordsIn(rule['p']), ...('s' in rule ? [recordOf(rule['s'])] : [])]);
  return namedValues([...new Set([setting, ...recordsIn(setting['p']), ...served].map(servedValue))]);
}

/** The first rule that holds decides, then percentages, then the value. Undefined if Vexil has no such rules. */
export function rulesOf(setting: Setting): readonly TargetingRule[] | undefined {
  const { given } = setting;
  const rules = recordsIn(given['r']).map((rule) => {
    const when = conjunction(recordsIn(rule['c']).map((condition) => readContainer(condition, setting)));
    return when && served(rule, when, setting);
  });
  const percentages = recordsIn(given['p']).length > 0 ? [served(given, ALWAYS, setting)] : [];
  return all([...rules, ...percentages, [{ when: ALWAYS, outcome: one(nameOf(given, setting)) }]])?.flat();
}

function nameOf(served: Given, { variants }: Setting): string {
  const value = servedValue(served);
  return [...variants].find((entry) => entry[1] === value)?.[0] ?? '';
}

/** A condition is about the user, a segment, or another setting, which Vexil has no condition about. */
function readContainer({ u, s }: Given, { segments, segmentAt }: Setting): Read {
  if (u !== undefined) return readCondition(recordOf(u)).holds;
  if (s === undefined) return undefined;
  const { s: index, c: comparator } = recordOf(s);
  return comparator === 1 ? notIn(segments[Number(index)]) : segmentAt(index);
}

/** The conditions before the first that fails hold. */
function notIn(segment: Given | undefined): Read {
  const conditions = recordsIn(segment?.['r']).map(readCondition);
  return disjunction(
    conditions.map(({ fails }, index) => conjunction([...conditions.slice(0, index).map(({ holds }) => holds), fails])),
  );
}

/** Users without the attribute of the percentages are in the rules after this one. */
function served(rule: Given, when: TargetingRule['when'], setting: Setting): readonly TargetingRule[] | undefined {
  const options = recordsIn(rule['p']);
  if (options.length === 0) return [{ when, outcome: one(nameOf(recordOf(rule['s']), setting)) }];
  const stickiness = fieldOf(setting.given['a'] ?? 'Identifier');
  const shares = options
    .map((option) => ({ variant: nameOf(option, setting), weight: Number(option['p']) }))
    .filter(({ weight }) => weight > 0);
  if (stickiness === undefined || shares.length === 0) return undefined;
  const whole = conjunction([filled(stickiness), when]);
  return whole && [ruleOf(whole, { shares: joined(shares), stickiness }, setting)];
}

/** Strategies with variants do not apply to users without an identifier, who get the value. */
function ruleOf(when: TargetingRule['when'], outcome: Outcome, { variants }: Setting): TargetingRule {
  const isBoolean = [...variants.values()].every((value) => typeof value === 'boolean');
  return { when, outcome, ...(!isBoolean && { share: { percent: 100, stickiness: outcome.stickiness } }) };
}

/** Options may have the same value. */
function joined(shares: Outcome['shares']): Outcome['shares'] {
  const names = [...new Set(shares.map(({ variant }) => variant))];
  return names.map((variant) => ({ variant, weight: totalWeight(shares.filter((one) => one.variant === variant)) }));
}
