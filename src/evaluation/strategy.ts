/** A strategy: the users for whom a flag is on. */
import type { ClientSegment, ClientStrategy } from './client-document.ts';
import { allHold, type CompiledConstraint, compileConstraint } from './constraint.ts';
import type { Situation } from './context.ts';
import { compileRule, never, type StrategyRule } from './strategy-types.ts';
import { type CompiledVariants, compileVariants } from './variants.ts';
import type { StrategyResult } from './why.ts';

export interface CompiledStrategy {
  readonly key: string;
  readonly name: string;
  readonly constraints: readonly CompiledConstraint[];
  readonly rule: StrategyRule;
  /** Undefined: the variants of the flag apply. */
  readonly variants: CompiledVariants | undefined;
}

export type CompiledSegments = ReadonlyMap<number, readonly CompiledConstraint[]>;

interface StrategyContext {
  readonly flag: string;
  /** The name of the strategy in explanations. */
  readonly key: string;
  readonly segments: CompiledSegments;
}

export function compileSegments(segments: readonly ClientSegment[]): CompiledSegments {
  return new Map(
    segments.map(({ constraints, ...segment }) => [
      segment.id,
      constraints.map((constraint) => compileConstraint(constraint, segment)),
    ]),
  );
}

export function compileStrategy(strategy: ClientStrategy, { flag, key, segments }: StrategyContext): CompiledStrategy {
  const { name, parameters, constraints, variants } = strategy;
  const ids = strategy.segments ?? [];
  const missing = ids.find((id) => !segments.has(id));
  return {
    key,
    name,
    constraints: [
      ...constraints.map((constraint) => compileConstraint(constraint)),
      ...ids.flatMap((id) => segments.get(id) ?? []),
    ],
    rule: missing === undefined ? compileRule(strategy, flag) : never(`there is no segment ${missing}`),
    variants: compileVariants(variants, { group: parameters['groupId'] ?? flag, stickiness: parameters['stickiness'] }),
  };
}

/** Adds the result of the strategy to the given results, if any. */
export function applies(strategy: CompiledStrategy, situation: Situation, results?: StrategyResult[]): boolean {
  const { key, name, constraints, rule } = strategy;
  const result: StrategyResult | undefined = results && { key, name, constraints: [], holds: false };
  const holds = allHold(constraints, situation.context, result?.constraints) && rule.includes(situation, result);
  if (result) results?.push(Object.assign(result, { holds }));
  return holds;
}
