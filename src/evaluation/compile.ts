/** A flag made ready for evaluation. */
import type { ClientDependency, ClientFeature } from './client-document.ts';
import type { Parent, Situation } from './context.ts';
import { applies, type CompiledSegments, type CompiledStrategy, compileStrategy } from './strategy.ts';
import { type CompiledVariants, chooseVariant, compileVariants } from './variants.ts';
import type { Decision, DependencyResult, Evaluation, Explanation, StrategyResult, Why } from './why.ts';

export interface CompiledFlag {
  readonly feature: ClientFeature;
  readonly hasParents: boolean;
  /** What an evaluation takes of a budget; 0: without one, or beyond it, as the flag is off then. */
  readonly work: number;
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
}

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
  };
  return {
    feature,
    hasParents: dependencies.length > 0,
    work: budget && budget.work <= budget.max ? budget.work : 0,
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

function evaluate(parts: Parts, situation: Situation, why?: Why): Evaluation {
  const { enabled, dependencies, strategies } = parts;
  if (!enabled || isBeyondBudget(parts, situation)) return off('off');
  if (!dependencies.every((one) => isSatisfied(one, situation, why?.dependencies))) return off('dependency');
  const index = strategies.findIndex((one) => applies(one, situation, why?.strategies));
  const strategy = strategies[index];
  if (strategy === undefined && strategies.length > 0) return off('no-strategy');
  const variants = strategy?.variants ?? parts.variants;
  if (why && variants) why.variant = {};
  const variant = variants && chooseVariant(variants, situation, why?.variant);
  if (strategy === undefined) return { enabled: true, variant, decision: 'everyone', strategy: undefined };
  return { enabled: true, variant, decision: 'strategy', strategy: index };
}

function isBeyondBudget({ budget, dependencies }: Parts, { flags }: Situation): boolean {
  if (!budget) return false;
  const ofParents = dependencies.reduce((sum, { feature }) => sum + (flags.get(feature)?.work ?? 0), 0);
  return budget.work + ofParents > budget.max;
}

function off(decision: Decision): Evaluation {
  return { enabled: false, variant: undefined, decision, strategy: undefined };
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
