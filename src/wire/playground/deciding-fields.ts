/** The fields of specs that decided an evaluation. */
import { environmentOf } from '../../domain/flag/flag-values.ts';
import { windowAt } from '../../domain/flag/moments.ts';
import { rampAt } from '../../domain/flag/ramp.ts';
import type { ConstraintResult, StrategyResult } from '../../evaluation/why.ts';
import type { ExplainedFlag, ExplainedStrategy } from './explained-flag.ts';

export interface DecidingField {
  /** The id of the segment that has the field; undefined if the flag has it. */
  readonly segment: number | undefined;
  /** Keys from the spec down. */
  readonly keys: readonly string[];
}

/** The fields in the order in which they were evaluated, each once. */
export function decidingFieldsOf(explained: ExplainedFlag): readonly DecidingField[] {
  const fields = fieldsOf(explained);
  return [...new Map(fields.map((field) => [JSON.stringify(field), field])).values()];
}

function fieldsOf(explained: ExplainedFlag): readonly DecidingField[] {
  const { explanation, strategies } = explained;
  switch (explanation.decision) {
    case 'off':
      return fieldsOfOff(explained);
    case 'dependency':
      return [ofFlag('dependencies')];
    case 'no-strategy':
      return strategies.flatMap((one) => (one.result ? fieldsOfFailed(explained, one, one.result) : []));
    default:
      return [switchOf(explained), ...fieldsOfApplied(explained), ...fieldsOfVariant(explained)];
  }
}

function ofFlag(...keys: readonly string[]): DecidingField {
  return { segment: undefined, keys };
}

function switchOf({ environment }: ExplainedFlag): DecidingField {
  return ofFlag('environments', environment, 'enabled');
}

function ofStrategy({ environment }: ExplainedFlag, key: string, ...rest: readonly string[]): DecidingField {
  return ofFlag('environments', environment, 'strategies', key, ...rest);
}

function fieldsOfOff(explained: ExplainedFlag): readonly DecidingField[] {
  const { problems, isOutsideWindow } = explained;
  const broken = problems.map(({ path }) => ofFlag(...path));
  if (!isSwitchedOn(explained)) return [switchOf(explained), ...broken];
  if (broken.length > 0) return broken;
  return isOutsideWindow ? [ofFlag('environments', explained.environment, windowFieldOf(explained))] : [];
}

export function isSwitchedOn({ flag, environment }: ExplainedFlag): boolean {
  return environmentOf(flag.spec, environment).enabled === true;
}

/** The end of the window that keeps the flag off. */
export function windowFieldOf({ flag, environment, at }: ExplainedFlag): 'activeFrom' | 'activeUntil' {
  return windowAt(environmentOf(flag.spec, environment), at) === 'Closed' ? 'activeUntil' : 'activeFrom';
}

/** The strategy that applies; undefined if none does. */
export function appliedStrategy({ explanation, strategies }: ExplainedFlag): ExplainedStrategy | undefined {
  const { strategy } = explanation;
  return strategy === undefined ? undefined : strategies.filter(({ served }) => served !== undefined)[strategy];
}

function fieldsOfApplied(explained: ExplainedFlag): readonly DecidingField[] {
  const applied = appliedStrategy(explained);
  if (!applied?.result) return [];
  const { key, result } = applied;
  return [
    ...ofRule(explained, applied),
    ...result.constraints.flatMap((one) => fieldsOfConstraint(explained, key, one)),
  ];
}

function fieldsOfFailed(
  explained: ExplainedFlag,
  strategy: ExplainedStrategy,
  result: StrategyResult,
): readonly DecidingField[] {
  const failed = result.constraints.find(({ holds }) => !holds);
  return failed ? fieldsOfConstraint(explained, strategy.key, failed) : ofRule(explained, strategy);
}

function fieldsOfConstraint(
  explained: ExplainedFlag,
  key: string,
  { segment }: ConstraintResult,
): readonly DecidingField[] {
  if (!segment) return [ofStrategy(explained, key, 'constraints')];
  return [ofStrategy(explained, key, 'segments'), { segment: segment.id, keys: ['constraints'] }];
}

/**
 * The parameter that the rule of a strategy type compares with, unless a ramp has begun; for any other type, the type
 * itself decides.
 */
const RULES: ReadonlyMap<string, string> = new Map([
  ['flexibleRollout', 'rollout'],
  ['gradualRolloutUserId', 'percentage'],
  ['gradualRolloutSessionId', 'percentage'],
  ['gradualRolloutRandom', 'percentage'],
  ['userWithId', 'userIds'],
  ['remoteAddress', 'IPs'],
]);

function ofRule(explained: ExplainedFlag, { key, strategy }: ExplainedStrategy): readonly DecidingField[] {
  const { ramp } = strategy;
  if (ramp && rampAt(ramp, explained).step > 0) {
    const times = (['startAt', 'pausedAt'] as const).filter((time) => ramp[time] !== undefined);
    return ['steps', ...times].map((field) => ofStrategy(explained, key, 'ramp', field));
  }
  const parameter = RULES.get(strategy.name);
  return [
    parameter === undefined ? ofStrategy(explained, key, 'name') : ofStrategy(explained, key, 'parameters', parameter),
  ];
}

function fieldsOfVariant(explained: ExplainedFlag): readonly DecidingField[] {
  const { explanation, flag, environment } = explained;
  if (!explanation.variant) return [];
  const applied = appliedStrategy(explained);
  if (applied?.served?.variants.some(({ weight }) => weight > 0))
    return [ofStrategy(explained, applied.key, 'variants')];
  const isOwn = environmentOf(flag.spec, environment).variants !== undefined;
  return [isOwn ? ofFlag('environments', environment, 'variants') : ofFlag('variants')];
}
