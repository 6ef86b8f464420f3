/** The dependencies of a flag on other flags: edits, and whether their parents can decide. */
import { Refusal } from '../../errors.ts';
import type { Dependency } from '../../schema/dependency.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import { listNames, wireNameOf } from '../identity/names.ts';
import { refuseDefectIn } from '../judgement/defects.ts';
import type { Finding } from '../judgement/findings.ts';
import { isArchived } from './flag-values.ts';

/** The state of another flag of the same project, as far as a dependency needs it. */
export interface ParentState {
  readonly archived: boolean;
  readonly hasParents: boolean;
  /** The units of work of an evaluation, by environment; empty where it is not evaluated. */
  readonly work: ReadonlyMap<string, number>;
}

/** The parents that exist in the project, by name. */
export type Parents = ReadonlyMap<string, ParentState>;

export function dependenciesOf({ spec }: FeatureFlag): readonly Dependency[] {
  return spec.dependencies ?? [];
}

export function parentStateOf(flag: FeatureFlag, work: ParentState['work'] = new Map()): ParentState {
  return { archived: isArchived(flag), hasParents: dependenciesOf(flag).length > 0, work };
}

/**
 * A missing parent may be created later; a chain needs an edit. In both cases, clients evaluate the flag as if the
 * parent were off.
 */
export function unusableParents(flag: FeatureFlag, parents: Parents | undefined): readonly Finding[] {
  return dependenciesOf(flag).flatMap(({ feature }, index): Finding[] => {
    const place = { severity: 'Error', path: ['dependencies', `${index}`, 'feature'] } as const;
    const parent = parents?.get(feature);
    if (feature === wireNameOf(flag)) {
      return [{ ...place, reason: 'DependencyChain', message: 'a flag cannot depend on itself: name another flag' }];
    }
    if (!parent || parent.archived) {
      const message = parent
        ? `the parent "${feature}" is archived: revive it or remove this entry`
        : `there is no flag "${feature}" in the project of this flag: create it or remove this entry`;
      return [{ ...place, reason: 'ParentNotFound', message }];
    }
    if (!parent.hasParents) return [];
    const message = `the parent "${feature}" has dependencies itself, and clients support no chains: remove either`;
    return [{ ...place, reason: 'DependencyChain', message }];
  });
}

export interface Family {
  /** The flags that depend on the flag, archived ones included. */
  readonly children: readonly FeatureFlag[];
  /** The state of the flag that becomes a parent; undefined: the project has no such flag. */
  readonly parent: ParentState | undefined;
}

/** Replaces the dependency on the same parent. */
export function setDependency(flag: FeatureFlag, wanted: Dependency, { children, parent }: Family): FlagSpec {
  refuseDefectIn(flag, 'dependencies');
  const name = wireNameOf(flag);
  const impossible = (message: string) => new Refusal('invalid-operation', message);
  if (wanted.feature === name) throw impossible(`The flag "${name}" cannot depend on itself.`);
  if (!parent || parent.archived)
    throw impossible(`No active flag "${wanted.feature}" exists in the project of "${name}".`);
  if (parent.hasParents)
    throw impossible(`The flag "${wanted.feature}" has dependencies itself: chains are not possible.`);
  if (children.length > 0)
    throw impossible(`Other flags depend on "${name}" (${listNames(children)}): chains are not possible.`);
  const present = dependenciesOf(flag);
  const index = present.findIndex(({ feature }) => feature === wanted.feature);
  return { ...flag.spec, dependencies: index === -1 ? [...present, wanted] : present.with(index, wanted) };
}

export function removeDependency(flag: FeatureFlag, parent: string): FlagSpec {
  refuseDefectIn(flag, 'dependencies');
  const rest = dependenciesOf(flag).filter(({ feature }) => feature !== parent);
  if (rest.length === dependenciesOf(flag).length) {
    throw new Refusal('not-found', `The flag "${wireNameOf(flag)}" does not depend on "${parent}".`);
  }
  return rest.length > 0 ? { ...flag.spec, dependencies: rest } : removeDependencies(flag);
}

export function removeDependencies(flag: FeatureFlag): FlagSpec {
  refuseDefectIn(flag, 'dependencies');
  const { dependencies, ...rest } = flag.spec;
  return dependencies ? rest : flag.spec;
}

/**
 * Refuses the change if other flags depend on the flag, because they would go off. Children in `leaving` do not count.
 */
export function refuseParent(
  flag: FeatureFlag,
  children: readonly FeatureFlag[],
  leaving: ReadonlySet<string> = new Set(),
): void {
  const staying = children.filter((child) => !isArchived(child) && !leaving.has(wireNameOf(child)));
  if (staying.length === 0) return;
  const message = `Other flags depend on "${wireNameOf(flag)}" and would go off: ${listNames(staying)}. Remove these dependencies first.`;
  throw new Refusal('in-use', message);
}
