/** A flag made ready for evaluation. */
import type { ClientDependency, ClientFeature, ClientVariant } from './client-document.ts';
import type { CompiledConstraint } from './constraint.ts';
import type { Parent, Situation } from './context.ts';
import { applies, type CompiledSegments, type CompiledStrategy, compileStrategy } from './strategy.ts';
import { type CompiledVariants, chooseVariant, compileVariants, isChoice } from './variants.ts';
import type { Decision, DependencyResult, Evaluation, Explanation, StrategyResult, Why } from './why.ts';

export interface CompiledFlag {
  readonly feature: ClientFeature;
  readonly hasParents: boolean;
  /** What an evaluation takes of a budget; 0: without one, or beyond it, as the flag is off then. */
  readonly work: number;
  /** The result if it is the same for all contexts. */
  readonly constant: Evaluation | undefined;
  /** About how many values an evaluation compares. */
  readonly cost: number;
  /** The same result is the same object. */
  readonly evaluate: (situation: Situation) => Evaluation;
  /** The same answer with its reasons; it takes several times longer. */
  readonly explain: (situation: Situation) => Explanation;
  /** The result of each strategy from this place on, whether or not it can decide. */
  readonly strategyResults: (situation: Situation, from: number) => readonly StrategyResult[];
}

export interface CompileOptions {
  readonly segments: CompiledSegments;
  /** Names of the strategies in explanations, in their order; absent: numbers are used. */
  readonly strategyKeys?: readonly string[];
  /** Absent: the rules have been judged. */
  readonly budget?: Budget;
}

/** Units of work: beyond `max`, with those of its parents, a flag is off. */
export interface Budget {
  readonly work: number;
  readonly max: number;
}

interface Parts {
  readonly enabled: boolean;
  readonly dependencies: readonly ClientDependency[];
  readonly strategies: readonly CompiledStrategy[];
  readonly variants: CompiledVariants | undefined;
  readonly budget: Budget | undefined;
  /** The results of a flag that is on by a strategy, in the order of the strategies. */
  readonly byStrategy: readonly ResultOf[];
  readonly forEveryone: ResultOf;
}

/** The result with a variant, made once. */
type ResultOf = (variant: ClientVariant | undefined) => Evaluation;

/**
 * The result depends only on the arguments, so it can be kept as long as the feature and its segments do not change.
 */
export function compileFlag(
  feature: ClientFeature,
  { segments, strategyKeys = [], budget }: CompileOptions,
): CompiledFlag {
  const { name: flag, enabled, dependencies = [] } = feature;
  const strategies = feature.strategies.map((strategy, index) =>
    compileStrategy(strategy, { flag, segments, key: strategyKeys[index] ?? `${index}` }),
  );
  const parts: Parts = {
    enabled,
    dependencies,
    strategies,
    variants: compileVariants(feature.variants, { group: flag }),
    budget,
    byStrategy: strategies.map((_, index) => resultsOnce('strategy', index)),
    forEveryone: resultsOnce('everyone', undefined),
  };
  return {
    feature,
    hasParents: dependencies.length > 0,
    work: budget && budget.work <= budget.max ? budget.work : 0,
    constant: isConstant(parts) ? evaluate(parts, WITHOUT_CONTEXT) : undefined,
    cost: costOf(parts),
    evaluate: (situation) => evaluate(parts, situation),
    explain: (situation) => {
      const why: Why = { dependencies: [], strategies: [] };
      return { ...evaluate(parts, situation, why), why };
    },
    strategyResults: (situation, from) => {
      const results: StrategyResult[] = [];
      for (const strategy of strategies.slice(from)) applies(strategy, situation, results);
      return results;
    },
  };
}

/** An evaluation of a constant flag reads nothing of it. */
const WITHOUT_CONTEXT: Situation = { context: new Map(), random: () => 0, flags: new Map(), parents: new Map() };

function isConstant({ enabled, dependencies, strategies: [first], variants }: Parts): boolean {
  if (!enabled) return true;
  const isForAll = first === undefined || (first.constraints.length === 0 && first.rule.isForAll);
  return dependencies.length === 0 && isForAll && !isChoice(first?.variants ?? variants);
}

/** A pattern, or a parent, takes the time of many values. */
const LONG_COST = 100;

function costOf({ dependencies, strategies }: Parts): number {
  const ofConstraint = ({ constraint: { operator, values } }: CompiledConstraint) =>
    operator === 'REGEX' ? LONG_COST : 1 + values.length;
  const ofStrategies = strategies.map(({ constraints }) => 1 + sum(constraints.map(ofConstraint)));
  return 1 + LONG_COST * dependencies.length + sum(ofStrategies);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Runs for each flag of each answer: it makes no functions or objects, which would have to be collected. */
function evaluate(parts: Parts, situation: Situation, why?: Why): Evaluation {
  const { enabled, dependencies, strategies, byStrategy, forEveryone } = parts;
  if (!enabled || isBeyondBudget(parts, situation)) return off.off;
  if (!areSatisfied(dependencies, situation, why?.dependencies)) return off.dependency;
  const index = firstThatApplies(strategies, situation, why?.strategies);
  const strategy = strategies[index];
  if (strategy === undefined && strategies.length > 0) return off.noStrategy;
  const variants = strategy?.variants ?? parts.variants;
  if (why && variants) why.variant = {};
  const resultOf = byStrategy[index] ?? forEveryone;
  return resultOf(variants && chooseVariant(variants, situation, why?.variant));
}

function isBeyondBudget({ budget, dependencies }: Parts, { flags }: Situation): boolean {
  if (!budget) return false;
  let { work } = budget;
  for (const { feature } of dependencies) work += flags.get(feature)?.work ?? 0;
  return work > budget.max;
}

/** Its index; the number of strategies if none applies. */
function firstThatApplies(
  strategies: readonly CompiledStrategy[],
  situation: Situation,
  results?: StrategyResult[],
): number {
  let index = 0;
  for (const one of strategies) {
    if (applies(one, situation, results)) break;
    index += 1;
  }
  return index;
}

const off = {
  off: offBy('off'),
  dependency: offBy('dependency'),
  noStrategy: offBy('no-strategy'),
} as const;

function offBy(decision: Decision): Evaluation {
  return { enabled: false, variant: undefined, decision, strategy: undefined };
}

function resultsOnce(decision: Decision, strategy: number | undefined): ResultOf {
  const resultOf = (variant: ClientVariant | undefined) => ({ enabled: true, variant, decision, strategy });
  const plain = resultOf(undefined);
  const known = new Map<ClientVariant, Evaluation>();
  return (variant) => {
    if (variant === undefined) return plain;
    const found = known.get(variant);
    if (found) return found;
    const made = resultOf(variant);
    known.set(variant, made);
    return made;
  };
}

function areSatisfied(
  dependencies: readonly ClientDependency[],
  situation: Situation,
  results?: DependencyResult[],
): boolean {
  for (const one of dependencies) if (!isSatisfied(one, situation, results)) return false;
  return true;
}

/** A parent that has parents itself never satisfies a dependency, so there are no cycles. */
function isSatisfied(dependency: ClientDependency, situation: Situation, results?: DependencyResult[]): boolean {
  const flag = situation.flags.get(dependency.feature);
  const parent = flag === undefined || flag.hasParents ? undefined : evaluateOnce(flag, situation);
  const holds = parent !== undefined && isAsWanted(dependency, parent);
  const problem = flag === undefined ? 'there is no such flag' : flag.hasParents ? 'it has parents itself' : undefined;
  results?.push({ dependency, parent, problem, holds });
  return holds;
}

function evaluateOnce(parent: Parent, situation: Situation): Evaluation {
  const known = situation.parents.get(parent);
  if (known) return known;
  const evaluation = parent.evaluate(situation);
  situation.parents.set(parent, evaluation);
  return evaluation;
}

function isAsWanted({ enabled = true, variants = [] }: ClientDependency, parent: Evaluation): boolean {
  if (!enabled || !parent.enabled) return enabled === parent.enabled;
  return variants.length === 0 || variants.includes(parent.variant?.name ?? NO_VARIANT);
}

/** The name of the variant in SDKs if a flag that is on has no variant. */
export const NO_VARIANT = 'disabled';
