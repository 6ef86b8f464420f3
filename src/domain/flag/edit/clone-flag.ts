/** A new flag from an existing one. */
import type { FlagEnvironment, FlagSpec } from '../../../schema/feature-flag.ts';
import { isUuid } from '../strategy-id.ts';
import { environmentsWith } from './edit-flag.ts';

/** The wire names of the flag that is copied and of its copy. */
export interface CloneNames {
  readonly from: string;
  readonly to: string;
}

/**
 * Everything but name and project: copies metadata, tags, variants and strategies; not stale, not archived, off
 * everywhere. A strategy whose key is a UUID gets a new one from `newId`; a key that someone chose stays, as its wire
 * id follows from the flag's name. A `groupId` that is the name of the source becomes the name of the copy: otherwise
 * both flags would choose the same users. A shared group has another name, and stays.
 */
export function cloneSpec(source: FlagSpec, names: CloneNames, newId: () => string): FlagSpec {
  const {
    name: _name,
    project: _project,
    stale: _stale,
    archived: _archived,
    environments: _environments,
    ...kept
  } = source;
  const copyOf = (environment: FlagEnvironment) =>
    withStrategies(withoutSwitch(environment), ([key, strategy]) => [
      isUuid(key) ? newId() : key,
      withGroupOf(strategy, names),
    ]);
  return { ...kept, ...environmentsWith(source, copyOf) };
}

function withoutSwitch({ enabled: _, ...rest }: FlagEnvironment): FlagEnvironment {
  return rest;
}

type Strategies = NonNullable<FlagEnvironment['strategies']>;
type FlagStrategy = Strategies[string];
type StrategyEntry = readonly [key: string, strategy: FlagStrategy];

function withStrategies(
  environment: FlagEnvironment,
  copyOf: (entry: StrategyEntry) => StrategyEntry,
): FlagEnvironment {
  if (!environment.strategies) return environment;
  return { ...environment, strategies: Object.fromEntries(Object.entries(environment.strategies).map(copyOf)) };
}

function withGroupOf(strategy: FlagStrategy, { from, to }: CloneNames): FlagStrategy {
  if (!strategy || strategy.parameters?.['groupId'] !== from) return strategy;
  return { ...strategy, parameters: { ...strategy.parameters, groupId: to } };
}
