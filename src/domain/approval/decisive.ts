/** The part of a flag that decides what is in effect in environments, and so needs approval as a whole. */
import type { Dependency } from '../../schema/dependency.ts';
import type { FlagEnvironment, FlagSpec } from '../../schema/feature-flag.ts';
import type { Variant } from '../../schema/variant.ts';
import { environmentOf } from '../flag/flag-values.ts';

export interface Decisive {
  readonly archived: boolean;
  readonly variants: readonly Variant[];
  readonly dependencies: readonly Dependency[];
  /** The whole entry for each of the environments; empty: none. */
  readonly environments: Readonly<Record<string, FlagEnvironment>>;
}

/** What a change request asks for, and what a flag says, have the same fields. */
type Source = Pick<FlagSpec, 'archived' | 'variants' | 'dependencies' | 'environments'>;

export function decisiveOf(spec: Source, environments: readonly string[]): Decisive {
  const entries = environments.map((name) => [name, environmentOf(spec, name)] as const);
  return {
    archived: spec.archived === true,
    variants: spec.variants ?? [],
    dependencies: spec.dependencies ?? [],
    environments: Object.fromEntries(entries),
  };
}

/** The spec with these values. An environment whose entry is empty is not named any more. */
export function withDecisive(spec: FlagSpec, wanted: Decisive): FlagSpec {
  const { archived: _, variants: __, dependencies: ___, ...rest } = spec;
  const entries = { ...spec.environments, ...wanted.environments };
  const named = Object.entries(entries).filter(
    ([name, entry]) => !(name in wanted.environments) || Object.keys(entry ?? {}).length > 0,
  );
  return {
    ...rest,
    ...(wanted.archived ? { archived: true } : spec.archived === false && { archived: false }),
    ...kept('variants', spec, wanted.variants),
    ...kept('dependencies', spec, wanted.dependencies),
    ...((named.length > 0 || spec.environments !== undefined) && { environments: Object.fromEntries(named) }),
  };
}

/** An empty list that the spec has stays as it is written. */
function kept<K extends 'variants' | 'dependencies'>(key: K, spec: FlagSpec, list: readonly unknown[]) {
  return list.length > 0 || spec[key] !== undefined ? { [key]: list } : {};
}
