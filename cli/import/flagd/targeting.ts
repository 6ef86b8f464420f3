/** Reads the targeting of flagd (JsonLogic) as rules that follow one another. */
import { isRecord } from '../../../src/model/json.ts';
import { MAX_STRATEGIES } from '../../../src/schema/feature-flag.ts';
import { ALWAYS, all } from '../rules/alternatives.ts';
import { DEFAULT_FIELD, type Outcome, one, type TargetingRule, totalWeight } from '../rules/targeting-rule.ts';
import { readCondition } from './condition.ts';
import { fieldOf } from './field.ts';

/** What the rules of a flag may refer to. */
interface Referred {
  readonly evaluators: Readonly<Record<string, unknown>>;
  /** The variant that a branch of null gives. */
  readonly defaultVariant: unknown;
}

/**
 * The first rule that holds decides; if none holds, the default variant applies. Returns undefined if Vexil has no such
 * rules.
 */
export function readTargeting(targeting: unknown, referred: Referred): readonly TargetingRule[] | undefined {
  if (!isRecord(targeting)) return undefined;
  if (Object.keys(targeting).length === 0) return [];
  const branches = targeting['if'];
  if (!Array.isArray(branches)) return asRule(readOutcome(targeting));
  const rules = all(pairsOf(branches).map(([when, outcome]) => readRule([when, outcome], referred)));
  if (!rules || rules.length > MAX_STRATEGIES || branches.length % 2 === 0) return rules;
  const last = readLast(branches.at(-1), referred);
  return last && [...rules, ...last];
}

function pairsOf(branches: readonly unknown[]): readonly (readonly [unknown, unknown])[] {
  const count = Math.floor(branches.length / 2);
  return Array.from({ length: count }, (_, index) => [branches[2 * index], branches[2 * index + 1]]);
}

function readRule(
  [condition, given]: readonly [unknown, unknown],
  { evaluators, defaultVariant }: Referred,
): TargetingRule | undefined {
  const when = readCondition(condition, evaluators);
  const outcome = readOutcome(given === null ? defaultVariant : given);
  return when && outcome && { when, outcome };
}

/** Null is the default variant, as if there were no such branch. */
function readLast(otherwise: unknown, referred: Referred): readonly TargetingRule[] | undefined {
  if (otherwise === null) return [];
  return isRecord(otherwise) ? readTargeting(otherwise, referred) : asRule(readOutcome(otherwise));
}

function asRule(outcome: Outcome | undefined): readonly TargetingRule[] | undefined {
  return outcome && [{ when: ALWAYS, outcome }];
}

function readOutcome(value: unknown): Outcome | undefined {
  if (typeof value === 'string') return one(value);
  if (typeof value === 'boolean') return one(`${value}`);
  const parts = isRecord(value) && Object.keys(value).length === 1 ? value['fractional'] : undefined;
  return Array.isArray(parts) ? readShares(parts) : undefined;
}

function readShares(parts: readonly unknown[]): Outcome | undefined {
  const [first, ...rest] = parts;
  const [stickiness, given] = Array.isArray(first) ? [DEFAULT_FIELD, parts] : [bucketField(first), rest];
  const shares = given.flatMap((part) => {
    const [variant, weight = 1]: unknown[] = Array.isArray(part) ? part : [];
    const isShare = typeof variant === 'string' && typeof weight === 'number' && weight >= 0;
    return isShare ? [{ variant, weight }] : [];
  });
  const isWhole = shares.length === given.length && totalWeight(shares) > 0;
  return stickiness !== undefined && isWhole ? { shares, stickiness } : undefined;
}

/** `{"cat": [{"var": "$flagd.flagKey"}, {"var": "email"}]}` is how flagd spells one field. */
function bucketField(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { cat } = value;
  if (!Array.isArray(cat)) return fieldOf(value);
  const fields = cat.filter((part) => !(isRecord(part) && part['var'] === '$flagd.flagKey'));
  return fields.length === 1 ? fieldOf(fields[0]) : undefined;
}
