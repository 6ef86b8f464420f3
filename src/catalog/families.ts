/** The parents, children and segments of flags, and the progress of their windows and ramps. */
import { isDeepStrictEqual } from 'node:util';
import { dependenciesOf, type Parents, parentStateOf } from '../domain/flag/dependencies.ts';
import type { FlagContext } from '../domain/flag/flag-context.ts';
import { projectIdOf } from '../domain/flag/flag-values.ts';
import { workByEnvironment } from '../domain/flag/judge/evaluation-work.ts';
import { lastMoment, momentsOf, timesIn, unpaused } from '../domain/flag/moments.ts';
import { segmentNamesOf } from '../domain/flag/segments-of-flag.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { SegmentLookups } from '../domain/segment/segment-values.ts';
import { memo } from '../model/memo.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { ClaimedCache } from './cached.ts';
import { heirOf, nameOwner } from './holders.ts';

interface Parts {
  readonly flags: ClaimedCache<FeatureFlag, 'wireName' | 'project' | 'parent'>;
  readonly segmentsOf: (flag: FeatureFlag) => SegmentLookups;
  /** Ms since 1970. */
  readonly now: () => number;
}

type Related = Pick<FlagContext, 'parents' | 'segments' | 'at'>;

const moments = memo((flag: FeatureFlag, environments: FlagContext['everyEnvironment']) =>
  momentsOf(flag, timesIn(environments)),
);

const hasMoments = memo((flag: FeatureFlag, _: undefined) => momentsOf(flag, unpaused).length > 0);

export interface Families {
  /**
   * The context with the parents and segments of the flag, and the last of its moments; the same object until one of
   * them changes.
   */
  withRelated(flag: FeatureFlag, context: FlagContext): FlagContext;
  /** The flag that owns the name, archived or not, if it is in the namespace and the project of `flag`. */
  flagInProjectOf(flag: FeatureFlag, name: string): FeatureFlag | undefined;
  /** The flags of the same project that depend on the flag, which may be new; archived ones included. */
  childrenOf(flag: FeatureFlag): readonly FeatureFlag[];
  /** The flag that owns the name of this one when it is deleted. */
  heirOf(flag: FeatureFlag): FeatureFlag | undefined;
}

export function createFamilies({ flags, segmentsOf, now }: Parts): Families {
  /**
   * Flags without parents, segments, windows and ramps: whenever an answer is assembled, all its flags are looked up
   * here.
   */
  const alone = new WeakSet<FeatureFlag>();
  const known = new WeakMap<FeatureFlag, { readonly of: FlagContext; readonly context: FlagContext }>();

  const knownWork = new WeakMap<
    FeatureFlag,
    { segments: SegmentLookups | undefined; work: ReadonlyMap<string, number> }
  >();

  /** The flag that owns the name, if it is in the same project as `flag`. */
  function inProjectOf(flag: FeatureFlag, name: string): FeatureFlag | undefined {
    const found = nameOwner(flags, name);
    return found && isNear(found, flag) ? found : undefined;
  }

  function parentsOf(flag: FeatureFlag): Parents {
    const found = dependenciesOf(flag).flatMap(({ feature }) => inProjectOf(flag, feature) ?? []);
    return new Map(found.map((parent) => [wireNameOf(parent), parentStateOf(parent, workOf(parent))]));
  }

  function workOf(parent: FeatureFlag): ReadonlyMap<string, number> {
    const segments = segmentNamesOf(parent).size > 0 ? segmentsOf(parent) : undefined;
    const before = knownWork.get(parent);
    if (before && isDeepStrictEqual(before.segments, segments)) return before.work;
    const work = workByEnvironment(parent, segments);
    knownWork.set(parent, { segments, work });
    return work;
  }

  /** Freezes move moments and add none. */
  function lastMomentOf(flag: FeatureFlag, { everyEnvironment }: FlagContext): number | undefined {
    if (!hasMoments(flag, undefined)) return undefined;
    return lastMoment(moments(flag, everyEnvironment), now())?.at ?? Number.NEGATIVE_INFINITY;
  }

  /** Undefined if the flag has none of these relations. */
  function relatedTo(flag: FeatureFlag, context: FlagContext): Related | undefined {
    const [hasParents, hasSegments] = [dependenciesOf(flag).length > 0, segmentNamesOf(flag).size > 0];
    const at = lastMomentOf(flag, context);
    if (!hasParents && !hasSegments && at === undefined) return undefined;
    return {
      parents: hasParents ? parentsOf(flag) : undefined,
      segments: hasSegments ? segmentsOf(flag) : undefined,
      at,
    };
  }

  return {
    withRelated(flag: FeatureFlag, context: FlagContext): FlagContext {
      if (alone.has(flag)) return context;
      const related = relatedTo(flag, context);
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
    childrenOf(flag: FeatureFlag): readonly FeatureFlag[] {
      const owner = nameOwner(flags, wireNameOf(flag));
      if (owner && !isNear(owner, flag)) return [];
      return flags.by('parent', wireNameOf(flag)).filter((child) => inProjectOf(flag, wireNameOf(child)) === child);
    },
    heirOf: (flag: FeatureFlag): FeatureFlag | undefined => heirOf(flags, flag),
  };
}

function isNear(one: FeatureFlag, other: FeatureFlag): boolean {
  return one.metadata.namespace === other.metadata.namespace && projectIdOf(one) === projectIdOf(other);
}

function isSame(context: FlagContext, { parents, segments, at }: Related): boolean {
  if (context.at !== at) return false;
  return isDeepStrictEqual(context.parents, parents) && isDeepStrictEqual(context.segments, segments);
}
