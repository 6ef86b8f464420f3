/** The flags that depend on others: the state of their parents, and the children of a flag. */
import { isDeepStrictEqual } from 'node:util';
import { dependenciesOf, type Parents, parentStateOf } from '../domain/flag/dependencies.ts';
import type { FlagContext } from '../domain/flag/flag-context.ts';
import { projectIdOf } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { ClaimedCache } from './cached.ts';
import { nameOwner } from './holders.ts';

export type Families = ReturnType<typeof createFamilies>;

export function createFamilies(flags: ClaimedCache<FeatureFlag, 'wireName' | 'project' | 'parent'>) {
  const known = new WeakMap<FeatureFlag, { readonly of: FlagContext; readonly context: FlagContext }>();

  /** A flag that holds its name, in the project of the other. */
  function inProjectOf(flag: FeatureFlag, name: string): FeatureFlag | undefined {
    const found = nameOwner(flags, name);
    const isNear = found && found.metadata.namespace === flag.metadata.namespace;
    return isNear && projectIdOf(found) === projectIdOf(flag) ? found : undefined;
  }

  function parentsOf(flag: FeatureFlag): Parents {
    const found = dependenciesOf(flag).flatMap(({ feature }) => inProjectOf(flag, feature) ?? []);
    return new Map(found.map((parent) => [wireNameOf(parent), parentStateOf(parent)]));
  }

  return {
    /** The context with the parents of the flag; the same object until the state of a parent changes. */
    withParents(flag: FeatureFlag, context: FlagContext): FlagContext {
      if (dependenciesOf(flag).length === 0) return context;
      const parents = parentsOf(flag);
      const before = known.get(flag);
      if (before?.of === context && isDeepStrictEqual(before.context.parents, parents)) return before.context;
      const fresh = { ...context, parents };
      known.set(flag, { of: context, context: fresh });
      return fresh;
    },
    flagInProjectOf: inProjectOf,
    /** The flags of its project that depend on it, archived ones included. */
    childrenOf: (flag: FeatureFlag): readonly FeatureFlag[] =>
      flags
        .by('parent', wireNameOf(flag))
        .filter(
          (child) =>
            inProjectOf(child, wireNameOf(flag)) !== undefined && inProjectOf(flag, wireNameOf(child)) === child,
        ),
  };
}
