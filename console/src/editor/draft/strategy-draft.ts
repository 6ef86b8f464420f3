/** The drafts of strategies. */
import type { Schemas } from '../../api.generated.ts';
import { type ConstraintDraft, constraintOf, constraintProblem, draftOfConstraint } from './constraint-draft.ts';
import { isSame } from './is-same.ts';
import { type Keyed, newKey } from './keyed.ts';
import { draftOfRamp, RAMP_TYPE, type RampDraft, rampOf, rampProblem } from './ramp-draft.ts';
import { draftOfVariant, type VariantDraft, variantOf, weightProblem } from './variant-draft.ts';

export interface StrategyDraft extends Keyed {
  /** Undefined if the strategy is not saved yet. */
  readonly id: string | undefined;
  /** The name of the strategy type. */
  readonly name: string;
  readonly title: string;
  readonly disabled: boolean;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly constraints: readonly ConstraintDraft[];
  readonly segments: readonly number[];
  readonly variants: readonly VariantDraft[];
  /** Undefined if the strategy has no ramp. */
  readonly ramp: RampDraft | undefined;
}

export function draftOfStrategy(strategy: Schemas['Strategy']): StrategyDraft {
  const { id, name, title, disabled, parameters, constraints, segments, variants, ramp } = strategy;
  return {
    key: newKey(),
    ramp: ramp && draftOfRamp(ramp),
    ...{ id, name, disabled, parameters, segments },
    title: title ?? '',
    constraints: constraints.map(draftOfConstraint),
    variants: variants.map(draftOfVariant),
  };
}

export function newStrategy(type: Schemas['StrategyType'], featureName: string): StrategyDraft {
  const rest = { title: '', disabled: false, constraints: [], segments: [], variants: [], ramp: undefined };
  return { key: newKey(), id: undefined, name: type.name, parameters: firstParameters(type, featureName), ...rest };
}

/** Percentages begin at 0: a strategy that is saved too early is on for no user. */
export function firstParameters({ parameters }: Schemas['StrategyType'], featureName: string) {
  const known: Readonly<Record<string, unknown>> = { stickiness: 'default', groupId: featureName };
  return Object.fromEntries(
    parameters.flatMap(({ name, type }) => {
      if (type === 'percentage') return [[name, 0]];
      return name in known ? [[name, known[name]]] : [];
    }),
  );
}

/** A null ramp removes the ramp, which only one type can have. */
export function strategyOf(draft: StrategyDraft): Schemas['AddStrategy'] {
  const { name, title, disabled, parameters, constraints, segments, variants, ramp } = draft;
  return {
    name,
    title: title.trim() === '' ? null : title.trim(),
    disabled,
    parameters: { ...parameters },
    constraints: constraints.map(constraintOf),
    segments: [...segments],
    variants: variants.map(variantOf),
    ramp: ramp && name === RAMP_TYPE ? rampOf(ramp) : null,
  };
}

/**
 * Sends the ramp only if the user has changed it, because others may start and pause it meanwhile. Returns undefined if
 * nothing has changed.
 */
export function changedStrategy(before: StrategyDraft, after: StrategyDraft): Schemas['UpdateStrategy'] | undefined {
  const { ramp: old, ...former } = strategyOf(before);
  const { ramp, ...rest } = strategyOf(after);
  const isRampSame = isSame(old, ramp);
  if (isRampSame && isSame(former, rest)) return undefined;
  return isRampSame ? rest : { ...rest, ramp: ramp ?? null };
}

/** Returns the strategy as the API would return it, for its sentence. */
export function shownStrategy(draft: StrategyDraft): Schemas['Strategy'] {
  const { id = '', name, disabled, parameters, segments, constraints } = draft;
  const rest = { title: null, sortOrder: 0, variants: [], parameters: { ...parameters } };
  return { id, name, disabled, segments: [...segments], constraints: constraints.map(constraintOf), ...rest };
}

/** Returns why the draft cannot be sent; undefined if it can. */
export function strategyProblem({ constraints, variants, ramp }: StrategyDraft): string | undefined {
  return constraintProblem(constraints) ?? weightProblem(variants) ?? (ramp && rampProblem(ramp));
}
