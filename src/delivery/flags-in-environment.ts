/** A value for each flag in an environment, kept while the flag and its context stay the same. */
import type { Catalog } from '../catalog/catalog.ts';
import { memo } from '../catalog/memo.ts';
import { type ProjectView, undisputedEffect } from '../catalog/project-views.ts';
import type { FlagContext } from '../domain/flag/flag-context.ts';
import { isArchived, projectIdOf } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { ClientFeature, ClientSegment } from '../evaluation/client-document.ts';
import { type CompiledFlag, compileFlag } from '../evaluation/compile.ts';
import { compileSegments } from '../evaluation/strategy.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { SnapshotQuery } from '../wire/client/document.ts';
import { presentClientFeature } from '../wire/client/feature.ts';
import { segmentsOf } from '../wire/client/segment.ts';

/** The flags that a client may see. */
export type Scope = Pick<SnapshotQuery, 'environment' | 'projects'>;

/** Makes the value from a flag as its clients read it, the segments that it uses, and the flag itself. */
type Make<V> = (feature: ClientFeature, segments: readonly ClientSegment[], flag: FeatureFlag) => V;

/** The memory is bounded by the number of flags and environments. */
export function createFlagsInEnvironment<V>(catalog: Catalog, make: Make<V>) {
  const madeOf = memo((_flag: FeatureFlag, _: FlagContext) => new Map<string, V>());
  const of = (flag: FeatureFlag, flagContext: FlagContext, environment: string): V => {
    const known = madeOf(flag, flagContext);
    const found = known.get(environment);
    if (found !== undefined) return found;
    const { segments: lookups } = flagContext;
    const effect = undisputedEffect(flag, flagContext);
    const feature = presentClientFeature({ flag, effect, segments: lookups }, environment);
    const made = make(feature, segmentsOf(feature, lookups), flag);
    known.set(environment, made);
    return made;
  };

  return {
    /** The values in the order of the flags' names, without archived flags. */
    *inView(view: ProjectView, environment: string, isWanted = (_: FeatureFlag) => true): Iterable<V> {
      for (const flag of view.flags) {
        if (isArchived(flag) || !isWanted(flag)) continue;
        yield of(flag, catalog.withRelated(flag, view.flagContext), environment);
      }
    },

    /** Undefined if the flag does not exist, or not in these projects. */
    named(name: string, { environment, projects }: Scope): V | undefined {
      const flag = catalog.flag(name);
      if (!flag || isArchived(flag) || projects?.includes(projectIdOf(flag)) === false) return undefined;
      const flagContext = catalog.flagContextOf(flag);
      return flagContext.project && of(flag, flagContext, environment);
    },
  };
}

/** A flag as its clients read it, with the segments that it uses. */
export function compileServed(feature: ClientFeature, segments: readonly ClientSegment[]): CompiledFlag {
  return compileFlag(feature, { segments: compileSegments(segments) });
}

/** The views of the projects, in the order of their ids. */
export function viewsOf(catalog: Catalog, projects: Scope['projects']): readonly ProjectView[] {
  return (projects ?? catalog.projects().map(wireNameOf)).flatMap((id) => catalog.view(id) ?? []);
}

export function haveSameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
