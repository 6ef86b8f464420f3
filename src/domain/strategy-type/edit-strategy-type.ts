/** Edits of a strategy definition: functions from the object to its next spec. Unchanged parts are shared. */
import type { StrategyDefinition, StrategyDefinitionSpec } from '../../schema/strategy-definition.ts';
import { refuseDefect } from '../judgement/defects.ts';
import { parameterOf, type StrategyParameter, strategyTypeOf } from './strategy-types.ts';

type DefinedParameter = NonNullable<StrategyDefinitionSpec['parameters']>[number];

/** A change of a type; absent fields stay, null removes a field. */
export interface StrategyTypeChange {
  readonly displayName?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly parameters?: readonly DefinedParameter[] | null | undefined;
}

/** Writes only fields whose meaning changes. */
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

function isSame(some: readonly StrategyParameter[], others: readonly StrategyParameter[]): boolean {
  return some.length === others.length && some.every((one, index) => meansSame(one, others[index]));
}

function meansSame(one: StrategyParameter, other: StrategyParameter | undefined): boolean {
  const fields = ['name', 'type', 'description', 'required'] as const;
  return fields.every((field) => one[field] === other?.[field]);
}

/** Keeps the stored spelling of parameters and fields whose meaning does not change. */
function changedParameters(definition: StrategyDefinition, wanted: readonly DefinedParameter[]): DefinedParameter[] {
  refuseDefects(definition);
  const present = new Map((definition.spec.parameters ?? []).map((parameter) => [parameter.name, parameter]));
  return wanted.map((next) => {
    const stored = present.get(next.name);
    return stored ? mergedParameter(stored, next) : next;
  });
}

function mergedParameter(stored: DefinedParameter, next: DefinedParameter): DefinedParameter {
  const [before, after] = [parameterOf(stored), parameterOf(next)];
  return {
    ...stored,
    ...(after.type !== before.type && { type: after.type }),
    ...(after.description !== before.description && { description: after.description }),
    ...(after.required !== before.required && { required: after.required }),
  };
}

/** Parameters with defects are missing from answers, so a caller would overwrite them unseen. */
function refuseDefects(definition: StrategyDefinition): void {
  const defect = definition.defects.find(({ path }) => path.length === 0 || path[0] === 'parameters');
  refuseDefect(definition, defect, 'parameters');
}
