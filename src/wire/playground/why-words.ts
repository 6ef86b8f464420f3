/** Explains in words why a flag is on or off. */
import { environmentOf } from '../../domain/flag/flag-values.ts';
import { isForApplications } from '../../evaluation/strategy-types.ts';
import type { BucketResult, ConstraintResult, DependencyResult, StrategyResult } from '../../evaluation/why.ts';
import { appliedStrategy, isSwitchedOn, windowFieldOf } from './deciding-fields.ts';
import type { ExplainedFlag, ExplainedStrategy } from './explained-flag.ts';

const MAX_NAMED = 5;

/** Whether the caller may see the constraints of the segment with this id. */
export type ReadsSegment = (id: number) => boolean;

export function whyWords(explained: ExplainedFlag, readsSegment: ReadsSegment): string {
  const { explanation, strategies } = explained;
  switch (explanation.decision) {
    case 'off':
      return `Off: ${offWords(explained)}.`;
    case 'dependency':
      return `Off: ${dependencyWords(explanation.why.dependencies.at(-1))}.`;
    case 'no-strategy':
      return `Off: no strategy applies. ${listed(strategies.map((one) => strategyLine(one, readsSegment)))}`;
    default: {
      const applied = appliedStrategy(explained);
      return applied ? `On: ${strategyLine(applied, readsSegment)}` : 'On: the flag has no strategies.';
    }
  }
}

function listed(lines: readonly string[]): string {
  const more = lines.length > MAX_NAMED ? [`${lines.length - MAX_NAMED} more.`] : [];
  return [...lines.slice(0, MAX_NAMED), ...more].join(' ');
}

function offWords(explained: ExplainedFlag): string {
  const { environment, problems, isOutsideWindow } = explained;
  if (!isSwitchedOn(explained)) return `the flag is not switched on in "${environment}"`;
  const [first] = problems;
  if (isOutsideWindow) return windowWords(explained);
  if (!first) return 'the flag is not in effect';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${first.message}${more}`;
}

function windowWords(explained: ExplainedFlag): string {
  const { environment, flag } = explained;
  const field = windowFieldOf(explained);
  const verb = field === 'activeFrom' ? 'opens' : 'closed';
  return `the window in "${environment}" ${verb} at ${environmentOf(flag.spec, environment)[field]}`;
}

/** A dependency that does not hold, in words. */
export function dependencyWords(failed: DependencyResult | undefined): string {
  if (!failed) return 'a parent is not as it must be';
  const { dependency, parent, problem } = failed;
  const name = `the parent "${dependency.feature}"`;
  if (problem !== undefined) return `${name} does not count, because ${problem}`;
  if (dependency.enabled === false) return `${name} is on, and must be off`;
  if (!parent?.enabled) return `${name} is off, and must be on`;
  const variants = (dependency.variants ?? []).map((one) => `"${one}"`).join(' or ');
  return `${name} has the variant "${parent.variant?.name ?? 'disabled'}", and must have ${variants}`;
}

function strategyLine({ key, strategy, result }: ExplainedStrategy, readsSegment: ReadsSegment): string {
  const name = `The strategy "${key}" (${strategy.name})`;
  if (strategy.disabled) return `${name} is disabled.`;
  if (!result) return `${name} is not sent to SDKs, because they do not agree on it.`;
  return `${name} ${result.holds ? 'applies' : 'does not apply'}: ${strategyWords(result, readsSegment)}.`;
}

export function strategyWords(result: StrategyResult, readsSegment: ReadsSegment): string {
  const failed = result.constraints.find(({ holds }) => !holds);
  if (failed) return constraintWords(result, failed, readsSegment);
  if (result.problem !== undefined) return result.problem;
  if (result.bucket) return bucketWords(result.bucket, result.limit ?? 0);
  return result.holds ? 'all that it asks for holds' : ruleWords(result.name);
}

function ruleWords(name: string): string {
  return isForApplications(name)
    ? 'only the application can decide'
    : 'its list does not have the value of the context';
}

function constraintWords(
  { constraints }: StrategyResult,
  failed: ConstraintResult,
  readsSegment: ReadsSegment,
): string {
  const { constraint, segment, value, problem } = failed;
  const others = constraints.filter((one) => one.segment?.id === segment?.id);
  const place = segment ? `the segment "${segment.name ?? segment.id}"` : `constraint ${others.indexOf(failed) + 1}`;
  if (segment && !readsSegment(segment.id)) return `${place} does not hold`;
  const { contextName, operator, inverted } = constraint;
  const test = `${contextName} ${inverted ? 'not ' : ''}${operator}`;
  const seen = problem ?? `the value is ${JSON.stringify(value)}`;
  return `${place} (${test}) does not hold, as ${seen}`;
}

function bucketWords({ field, id, number, of, group, stickiness }: BucketResult, limit: number): string {
  if (number === undefined) return `the context has no "${stickiness}", so there is no bucket`;
  const origin = field === undefined ? 'random' : `${field} ${JSON.stringify(id)} in group ${JSON.stringify(group)}`;
  return `bucket ${number} of ${of} (${origin}) is ${number <= limit ? 'within' : 'above'} the limit ${limit}`;
}
