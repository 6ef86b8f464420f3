/** The part of a flag that decides what is in effect in environments, and so needs approval as a whole. */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
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

export function isSameDecisive(one: Decisive, other: Decisive): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

/** Equal for equal values, whatever the order of their keys. */
export function digestOfDecisive(decisive: Decisive): string {
  return hash('sha256', JSON.stringify(sorted(plain(decisive))));
}

/** Paths below the spec at which the values differ, for messages. */
export function fieldsThatDiffer(one: Decisive, other: Decisive): readonly string[] {
  const names = [...new Set([...Object.keys(one.environments), ...Object.keys(other.environments)])].sort();
  const shared = (['archived', 'variants', 'dependencies'] as const).filter(
    (key) => !isDeepStrictEqual(plain(one)[key], plain(other)[key]),
  );
  const entries = names.filter((name) => {
    return !isDeepStrictEqual(plain(one).environments[name], plain(other).environments[name]);
  });
  return [...shared.map((key) => `spec.${key}`), ...entries.map((name) => `spec.environments.${name}`)];
}

/** An empty list that the spec has stays as it is written. */
function kept<K extends 'variants' | 'dependencies'>(key: K, spec: FlagSpec, list: readonly unknown[]) {
  return list.length > 0 || spec[key] !== undefined ? { [key]: list } : {};
}

/** As JSON, in which a member that is undefined is absent. */
function plain(decisive: Decisive): Decisive {
  return JSON.parse(JSON.stringify(decisive));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
