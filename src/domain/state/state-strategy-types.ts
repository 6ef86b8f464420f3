/** Strategy types as a state document wants them, and all strategy types after the import. */
import type { StrategyDefinition, StrategyDefinitionSpec } from '../../schema/strategy-definition.ts';
import {
  changeStrategyType,
  deprecateStrategyType,
  reactivateStrategyType,
} from '../strategy-type/edit-strategy-type.ts';
import { parameterOf, type StrategyType } from '../strategy-type/strategy-types.ts';
import type { ImportMode } from './planned-change.ts';
import type { WantedType } from './wanted.ts';

/** What the document does not mention stays, unless the type is replaced. */
export function importStrategyType(
  definition: StrategyDefinition,
  { displayName, description, parameters, deprecated }: WantedType,
  replace: boolean,
): StrategyDefinitionSpec {
  const fallback = replace ? null : undefined;
  const change = {
    displayName: displayName === undefined ? fallback : displayName,
    description: description === undefined ? fallback : description,
    parameters,
  };
  const next = { ...definition, spec: changeStrategyType(definition, change) };
  const isDeprecated = deprecated ?? (replace ? false : (definition.spec.deprecated ?? false));
  return isDeprecated ? deprecateStrategyType(next) : reactivateStrategyType(next);
}

/** The spec of a new type. */
export function strategyTypeSpec({
  displayName,
  description,
  parameters,
  deprecated,
}: WantedType): StrategyDefinitionSpec {
  return {
    ...(typeof displayName === 'string' && { displayName }),
    ...(typeof description === 'string' && { description }),
    ...(deprecated && { deprecated }),
    ...(parameters && parameters.length > 0 && { parameters: [...parameters] }),
  };
}

/** The types by name. `wanted` is undefined if the document has no such section. */
export function typesAfter(
  wanted: readonly WantedType[] | undefined,
  strategyTypes: ReadonlyMap<string, StrategyType>,
  { keep, drop }: ImportMode,
): ReadonlyMap<string, StrategyType> {
  const present = [...strategyTypes.values()];
  const stay = drop && wanted ? present.filter(({ builtIn }) => builtIn) : present;
  const kept = new Set((keep && !drop ? present : stay.filter(({ builtIn }) => builtIn)).map(({ name }) => name));
  const written = (wanted ?? []).filter(({ name }) => !kept.has(name)).map(asType);
  return new Map([...stay, ...written].map((type) => [type.name, type]));
}

function asType({ name, displayName, description, parameters, deprecated = false }: WantedType): StrategyType {
  return {
    name,
    displayName: displayName ?? name,
    description: description ?? '',
    deprecated,
    builtIn: false,
    parameters: (parameters ?? []).map(parameterOf),
  };
}
