/** The draft of a flag in one environment, and the steps from the stored state to the draft. */
import type { Schemas } from '../../api.generated.ts';
import type { EnvironmentPlace } from '../../feature/place.ts';
import {
  environmentVariantsStep,
  strategyAddition,
  strategyChange,
  strategyOrder,
  strategyRemoval,
  variantsStep,
  windowStep,
} from '../flag-steps.ts';
import type { Step } from '../review/plan.ts';
import { isSame } from './is-same.ts';
import { changedStrategy, draftOfStrategy, type StrategyDraft, strategyOf, strategyProblem } from './strategy-draft.ts';
import { draftOfVariant, type VariantDraft, variantOf, weightProblem } from './variant-draft.ts';
import { draftOfWindow, type WindowDraft, windowOf, windowProblem } from './window-draft.ts';

export interface EnvironmentDraft {
  readonly strategies: readonly StrategyDraft[];
  readonly variants: readonly VariantDraft[];
  /** Whether the variants replace those of every environment. */
  readonly isForAll: boolean;
  readonly window: WindowDraft;
}

type Stored = Pick<Schemas['FeatureEnvironment'], 'strategies' | 'variants' | 'activeFrom' | 'activeUntil'>;

export function draftOfEnvironment({ strategies, variants = [], ...rest }: Stored): EnvironmentDraft {
  return {
    window: draftOfWindow(rest),
    strategies: strategies.map(draftOfStrategy),
    variants: variants.map(draftOfVariant),
    isForAll: false,
  };
}

/**
 * Each step is tried by itself, so no step may build on another. Removals come last, because a flag without strategies
 * goes off.
 */
export function environmentSteps(
  place: EnvironmentPlace,
  before: EnvironmentDraft,
  after: EnvironmentDraft,
): readonly Step[] {
  const kept = new Map(after.strategies.map((one) => [one.id, one]));
  const changes = before.strategies.flatMap((old) => {
    const next = kept.get(old.id);
    const body = next && changedStrategy(old, next);
    if (!body) return [];
    const title = `Change the strategy ${nameOf(before, old)}`;
    return [strategyChange({ ...place, strategyId: old.id ?? '' }, body, title)];
  });
  const removals = before.strategies
    .filter(({ id }) => !kept.has(id))
    .map((old) =>
      strategyRemoval({ ...place, strategyId: old.id ?? '' }, `Remove the strategy ${nameOf(before, old)}`),
    );
  return [
    ...windowSteps(place, before, after),
    ...variantSteps(place, before, after),
    ...changes,
    ...additionSteps(place, before, after),
    ...removals,
  ];
}

function windowSteps(place: EnvironmentPlace, before: EnvironmentDraft, after: EnvironmentDraft): readonly Step[] {
  const wanted = windowOf(after.window);
  if (isSame(windowOf(before.window), wanted)) return [];
  return [windowStep(place, wanted, `Set the window in ${place.environment}`)];
}

function variantSteps(place: EnvironmentPlace, before: EnvironmentDraft, after: EnvironmentDraft): readonly Step[] {
  const variants = after.variants.map(variantOf);
  if (after.isForAll) return [variantsStep(place, variants, 'Set the variants of all environments')];
  if (isSame(before.variants.map(variantOf), variants)) return [];
  return [environmentVariantsStep(place, variants, `Set the variants in ${place.environment}`)];
}

/** New strategies name their places; existing ones get new places if theirs have changed. */
function additionSteps(place: EnvironmentPlace, before: EnvironmentDraft, after: EnvironmentDraft): readonly Step[] {
  const order = after.strategies.flatMap(({ id }, sortOrder) => (id === undefined ? [] : [{ id, sortOrder }]));
  const known = new Set(order.map(({ id }) => id));
  const former = before.strategies.flatMap(({ id }) => (id !== undefined && known.has(id) ? [id] : []));
  const isLast = after.strategies.slice(0, known.size).every(({ id }) => id !== undefined);
  const isMoved = order.some(({ id }, index) => former[index] !== id) || !isLast;
  const additions = after.strategies.flatMap((one, sortOrder) => {
    if (one.id !== undefined) return [];
    const body = { ...strategyOf(one), ...(isMoved && { sortOrder }) };
    return [strategyAddition(place, body, `Add a strategy: ${nameOf(after, one)}`)];
  });
  return [...(isMoved ? [strategyOrder(place, order)] : []), ...additions];
}

/** Returns the name of a strategy for people. */
export function nameOf({ strategies }: EnvironmentDraft, strategy: StrategyDraft): string {
  return `${strategies.indexOf(strategy) + 1} (${strategy.title || strategy.name})`;
}

/** Returns why the draft cannot be sent; undefined if it can. */
export function environmentProblem({ strategies, variants, window }: EnvironmentDraft): string | undefined {
  for (const [index, strategy] of strategies.entries()) {
    const problem = strategyProblem(strategy);
    if (problem !== undefined) return `Strategy ${index + 1}: ${problem}`;
  }
  return weightProblem(variants) ?? windowProblem(window);
}
