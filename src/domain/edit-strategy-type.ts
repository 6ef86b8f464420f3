/** Edits of strategy types that are defined: functions from the object to its next spec, which share what they leave alone. */
import { AppError } from '../errors.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { StrategyDefinition, StrategyDefinitionSpec } from '../schema/strategy-definition.ts';
import { isArchived } from './flag-values.ts';
import { compareText, wireNameOf } from './names.ts';
import { parameterOf, type StrategyParameter, strategyTypeOf } from './strategy-types.ts';

type Parameter = NonNullable<StrategyDefinitionSpec['parameters']>[number];

/** What is to be said of a type; absent: as it is, null: nothing. */
export interface StrategyTypeChange {
  readonly displayName?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly parameters?: readonly Parameter[] | null | undefined;
}

/** Writes only the fields that mean something else than before. */
export function changeStrategyType(definition: StrategyDefinition, change: StrategyTypeChange): StrategyDefinitionSpec {
  const { spec } = definition;
  const before = strategyTypeOf(definition);
  const { displayName = before.displayName, description = before.description, parameters = before.parameters } = change;
  const differing = {
    ...((displayName ?? before.name) !== before.displayName && { displayName: displayName ?? undefined }),
    ...((description ?? '') !== before.description && { description: description ?? undefined }),
    ...(!isSame((parameters ?? []).map(parameterOf), before.parameters) && {
      parameters: changedParameters(definition, parameters ?? []),
    }),
  };
  return Object.keys(differing).length === 0 ? spec : { ...spec, ...differing };
}

export function deprecateStrategyType({ spec }: StrategyDefinition): StrategyDefinitionSpec {
  return spec.deprecated ? spec : { ...spec, deprecated: true };
}

export function reactivateStrategyType({ spec }: StrategyDefinition): StrategyDefinitionSpec {
  return spec.deprecated ? { ...spec, deprecated: false } : spec;
}

const MOST_NAMED = 5;

/**
 * Real servers delete a type that flags still use. Here those flags would go off at once, in every environment in which
 * they have such a strategy, and nobody who deletes a type expects that. An archived flag is off already, and its return
 * from the archive switches it off everywhere.
 */
export function refuseInUse(definition: StrategyDefinition, flags: readonly FeatureFlag[]): void {
  const names = flags
    .filter((flag) => !isArchived(flag))
    .map(wireNameOf)
    .sort(compareText);
  if (names.length === 0) return;
  const count = names.length === 1 ? '1 flag uses' : `${names.length} flags use`;
  const more = names.length > MOST_NAMED ? ', …' : '';
  const message = `The strategy type "${wireNameOf(definition)}" cannot be deleted: ${count} it (${names.slice(0, MOST_NAMED).join(', ')}${more}), and would go off where such a strategy is. Remove these strategies first, or deprecate the type.`;
  throw new AppError('in-use', message);
}

function isSame(some: readonly StrategyParameter[], others: readonly StrategyParameter[]): boolean {
  return some.length === others.length && some.every((one, index) => meansSame(one, others[index]));
}

function meansSame(one: StrategyParameter, other: StrategyParameter | undefined): boolean {
  const fields = ['name', 'type', 'description', 'required'] as const;
  return fields.every((field) => one[field] === other?.[field]);
}

/** Each parameter that means what it meant keeps the words that it has, and of the others each field that does. */
function changedParameters(definition: StrategyDefinition, wanted: readonly Parameter[]): Parameter[] {
  refuseDefects(definition);
  const present = new Map((definition.spec.parameters ?? []).map((parameter) => [parameter.name, parameter]));
  return wanted.map((next) => {
    const stored = present.get(next.name);
    return stored ? mergedParameter(stored, next) : next;
  });
}

function mergedParameter(stored: Parameter, next: Parameter): Parameter {
  const [before, after] = [parameterOf(stored), parameterOf(next)];
  return {
    ...stored,
    ...(after.type !== before.type && { type: after.type }),
    ...(after.description !== before.description && { description: after.description }),
    ...(after.required !== before.required && { required: after.required }),
  };
}

/** Parameters that cannot be read are not shown to the caller, who would write over them. */
function refuseDefects(definition: StrategyDefinition): void {
  const defect = definition.defects.find(({ path }) => path.length === 0 || path[0] === 'parameters');
  if (!defect) return;
  const message = `The parameters of the strategy type "${wireNameOf(definition)}" cannot be changed before ${['spec', ...defect.path].join('.')} is mended: ${defect.message}.`;
  throw new AppError('invalid', message);
}
