/** The parents, children and segments of flags. */
import { isDeepStrictEqual } from 'node:util';
import { dependenciesOf, type Parents, parentStateOf } from '../domain/flag/dependencies.ts';
import type { FlagContext } from '../domain/flag/flag-context.ts';
import { projectIdOf } from '../domain/flag/flag-values.ts';
import { segmentNamesOf } from '../domain/flag/segments-of-flag.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { SegmentLookups } from '../domain/segment/segment-values.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { ClaimedCache } from './cached.ts';
import { nameOwner } from './holders.ts';

export type Families = ReturnType<typeof createFamilies>;

interface Parts {
  readonly flags: ClaimedCache<FeatureFlag, 'wireName' | 'project' | 'parent'>;
  readonly segmentsOf: (flag: FeatureFlag) => SegmentLookups;
}

export function createFamilies({ flags, segmentsOf }: Parts) {
  /** Flags without parents and segments: each assembly of an answer asks this of all its flags. */
  const alone = new WeakSet<FeatureFlag>();
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

  /** Undefined: neither has the flag. */
  function relatedTo(flag: FeatureFlag): Pick<FlagContext, 'parents' | 'segments'> | undefined {
    const [hasParents, hasSegments] = [dependenciesOf(flag).length > 0, segmentNamesOf(flag).size > 0];
    if (!hasParents && !hasSegments) return undefined;
    return {
      parents: hasParents ? parentsOf(flag) : undefined,
      segments: hasSegments ? segmentsOf(flag) : undefined,
    };
  }

  return {
    /** The context with the parents and segments of the flag; the same object until the state of one of them changes. */
    withRelated(flag: FeatureFlag, context: FlagContext): FlagContext {
      if (alone.has(flag)) return context;
      const related = relatedTo(flag);
      if (!related) {
        alone.add(flag);
        return context;
      }
      const before = known.get(flag);
      if (before?.of === context && isSame(before.context, related)) return before.context;
      const fresh = { ...context, ...related };
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

function isSame(context: FlagContext, { parents, segments }: Pick<FlagContext, 'parents' | 'segments'>): boolean {
  return isDeepStrictEqual(context.parents, parents) && isDeepStrictEqual(context.segments, segments);
}
