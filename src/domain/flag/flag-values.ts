/** The values of a flag, with the defaults of absent fields. */
import type { FeatureFlag, FlagEnvironment, FlagSpec, FlagType } from '../../schema/feature-flag.ts';
import type { Strategy } from '../../schema/strategy.ts';
import type { Variant } from '../../schema/variant.ts';
import { compareText, DEFAULT_PROJECT } from '../identity/names.ts';
import { metadataDefaults } from './metadata-fields.ts';

export function projectIdOf(flag: FeatureFlag): string {
  return flag.spec.project ?? DEFAULT_PROJECT;
}

export function flagTypeOf(spec: FlagSpec): FlagType {
  return spec.type ?? metadataDefaults.type;
}

export function isArchived({ spec }: FeatureFlag): boolean {
  return spec.archived === true;
}

/** The environments that the flag names, as they are written. */
export function environmentsOf({
  spec,
}: {
  readonly spec: Pick<FlagSpec, 'environments'>;
}): readonly (readonly [string, FlagEnvironment])[] {
  return Object.entries(spec.environments ?? {}).map(([name, value]) => [name, value ?? {}]);
}

/**
 * The configuration of the flag for one environment. A name may equal that of a member that every JavaScript object
 * has.
 */
export function environmentOf({ environments }: FlagSpec, name: string): FlagEnvironment {
  return (environments && Object.hasOwn(environments, name) && environments[name]) || {};
}

export interface KeyedStrategy {
  readonly key: string;
  readonly strategy: Strategy;
}

/** The strategies of an environment in their order: by sortOrder (absent: 0), then by key. */
export function strategiesOf(environment: FlagEnvironment): readonly KeyedStrategy[] {
  const keyed: KeyedStrategy[] = [];
  for (const [key, strategy] of Object.entries(environment.strategies ?? {}))
    if (strategy) keyed.push({ key, strategy });
  // Called many times for each version of a flag; most strategies are in order already.
  return keyed.every(isInOrder) ? keyed : keyed.sort(compareStrategies);
}

function isInOrder(one: KeyedStrategy, index: number, all: readonly KeyedStrategy[]): boolean {
  const before = all[index - 1];
  return before === undefined || compareStrategies(before, one) <= 0;
}

function compareStrategies(one: KeyedStrategy, other: KeyedStrategy): number {
  return (one.strategy.sortOrder ?? 0) - (other.strategy.sortOrder ?? 0) || compareText(one.key, other.key);
}

/** Whether there is a strategy that is not disabled. */
export function isActive(environment: FlagEnvironment): boolean {
  return Object.values(environment.strategies ?? {}).some((strategy) => strategy && !strategy.disabled);
}

/** The variants that apply in an environment: its own list if it has one, otherwise the list of the flag. */
export function variantsIn(flag: FeatureFlag, environment: string): readonly Variant[] {
  return environmentOf(flag.spec, environment).variants ?? flag.spec.variants ?? [];
}

/** Ms since 1970. */
export function creationTimeOf({ metadata }: FeatureFlag): number {
  return Date.parse(metadata.creationTimestamp);
}
