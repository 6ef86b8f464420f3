/** A flag in one environment, with the explanation of its evaluation for a context. */
import type { Pauses } from '../../domain/freeze/pauses.ts';
import { type Finding, isError } from '../../domain/judgement/findings.ts';
import type { ClientFeature } from '../../evaluation/client-document.ts';
import type { CompiledFlag } from '../../evaluation/compile.ts';
import type { Situation } from '../../evaluation/context.ts';
import type { Explanation, StrategyResult } from '../../evaluation/why.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { type FlagInEffect, type ServedStrategy, servedStrategies } from '../client/feature.ts';

export interface ExplainedStrategy extends ServedStrategy {
  /** Undefined if SDKs do not get the strategy. */
  readonly result: StrategyResult | undefined;
}

export interface ExplainedFlag {
  readonly flag: FeatureFlag;
  readonly environment: string;
  readonly feature: ClientFeature;
  readonly explanation: Explanation;
  /** The time for which its windows and ramps are explained; see `FlagContext`. */
  readonly at: number;
  /** The time in the environment that does not count for its ramps. */
  readonly pauses: Pauses;
  /** The flag is off only because the time is outside its window. */
  readonly isOutsideWindow: boolean;
  /** Errors that keep the flag off in the environment. */
  readonly problems: readonly Finding[];
  /**
   * All strategies of the flag in the environment, in their order, including results of those that could not decide.
   */
  readonly strategies: readonly ExplainedStrategy[];
}

interface Evaluating {
  readonly environment: string;
  /** The same flag, compiled for that environment. */
  readonly compiled: CompiledFlag;
  readonly situation: Situation;
}

export function explainFlag(inEffect: FlagInEffect, { environment, compiled, situation }: Evaluating): ExplainedFlag {
  const { effect } = inEffect;
  const isOutsideWindow = effect.outsideWindowIn.has(environment);
  // A strategy with an error may be off while others are in effect.
  const hasNone = isOutsideWindow || effect.enabledIn.has(environment);
  const explanation = compiled.explain(situation);
  const reached = explanation.why.strategies;
  const results = [...reached, ...compiled.strategyResults(situation, reached.length)].values();
  return {
    flag: inEffect.flag,
    environment,
    feature: compiled.feature,
    explanation,
    at: effect.at,
    pauses: effect.pausesIn(environment),
    isOutsideWindow,
    problems: hasNone ? [] : effect.findings.filter((finding) => isError(finding) && concerns(finding, environment)),
    strategies: servedStrategies(inEffect, environment).map((one) => ({
      ...one,
      result: one.served && results.next().value,
    })),
  };
}

function concerns({ path: [first, second] }: Finding, environment: string): boolean {
  return first !== 'environments' || second === environment;
}
