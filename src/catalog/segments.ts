/** The segments that own their names, and the segments that flags can use; memoised until one of them changes. */
import { targetRefOf } from '../domain/approval/target.ts';
import { isArchived, projectIdOf } from '../domain/flag/flag-values.ts';
import { environmentsUsing, segmentNamesOf } from '../domain/flag/segments-of-flag.ts';
import { segmentedStrategies } from '../domain/flag/uses.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { NameClaim, NameConflictWith } from '../domain/name-claims/name-claims.ts';
import type { ProjectLookup } from '../domain/segment/judge-segment.ts';
import {
  isForFlagsOf,
  type SegmentLookup,
  type SegmentLookups,
  type UsableSegment,
  usableSegment,
} from '../domain/segment/segment-values.ts';
import type { Ref } from '../model/object.ts';
import type { ChangeRequest } from '../schema/change-request.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import type { Segment } from '../schema/segment.ts';
import { type Cached, type ClaimedCache, changedOrGotId } from './cached.ts';
import { duplicatesOf, nameConflictWithOf, nameOwner, nameOwners } from './holders.ts';
import { highestIn, idConflictWithOf, idOwner, inIdOrder, isServed } from './numbered.ts';
import type { ProjectContext } from './project-context.ts';

interface Parts {
  readonly segments: ClaimedCache<Segment, 'wireName' | 'id'>;
  readonly flags: ClaimedCache<FeatureFlag, 'wireName' | 'segment' | 'segmentedStrategy'>;
  readonly projects: ClaimedCache<Project>;
  readonly changeRequests: Cached<ChangeRequest, 'segment'>;
  readonly projectContext: Pick<ProjectContext, 'flagContextOf'>;
  /** The operator namespace, whose segments are available to flags of every namespace. */
  readonly home: string;
}

interface OwnedSegment {
  readonly segment: Segment;
  readonly found: UsableSegment | 'not-ready';
}

export type SegmentsByName = ReadonlyMap<string, OwnedSegment>;

export interface SegmentsInUse {
  /** Returns the same object until a segment changes. */
  segmentsByName(): SegmentsByName;
  /** For each segment that the flag names, what the flag can use of it, or why it cannot. */
  segmentsOf(flag: FeatureFlag): SegmentLookups;
  /** The segments that own their names and ids, ordered by id. */
  segments(): readonly Segment[];
  /** The namespace that the name of a segment belongs to, whether or not a segment there has it now. */
  segmentClaim(name: string): NameClaim | undefined;
  /** The names of the segments of the strategy with this wire id; undefined if it has none. */
  segmentsOfStrategy(id: string): StrategySegments | undefined;
  /** The segment that owns this name, with an id or without. */
  segmentNamed(name: string): Segment | undefined;
  /** The segment that owns its name and has this id. */
  segment(id: number): Segment | undefined;
  /** What owns the name and the id that the segment wants; undefined: itself or nothing. */
  segmentConflictsWith(segment: Segment): SegmentConflicts;
  /** In the operator namespace a segment may name a project of any namespace. */
  projectOfSegment(segment: Segment): ProjectLookup;
  /** The other segments that want the name of this one, the oldest first; empty unless this one owns the name. */
  segmentDuplicates(segment: Segment): readonly Ref[];
  /** The flags that use the segment, archived ones included. */
  flagsOfSegment(segment: Segment): readonly FeatureFlag[];
  /** Where flags that are not archived use the segment, or would after a change that is asked for; ordered. */
  environmentsOfSegment(segment: Segment): readonly string[];
  /** The highest id seen so far; it never decreases. */
  highestSegmentId(): number;
}

export function createSegmentLookups(parts: Parts): SegmentsInUse {
  const { segments, flags, projects, changeRequests, projectContext, home } = parts;
  let owned: SegmentsByName | undefined;
  const forget = () => {
    owned = undefined;
  };
  segments.subscribe((change) => changedOrGotId(change) && forget());
  segments.claims.onClaim(forget);
  const present = (): SegmentsByName => {
    owned ??= new Map(
      nameOwners(segments).map((segment) => [wireNameOf(segment), { segment, found: foundIn(segment) }]),
    );
    return owned;
  };
  const foundIn = (segment: Segment) => (isServed(segments, segment) ? usableSegment(segment) : 'not-ready');

  function lookup(name: string, flag: FeatureFlag): SegmentLookup {
    const one = present().get(name);
    const place = { namespace: flag.metadata.namespace, projectId: projectIdOf(flag) };
    return one && isForFlagsOf(one.segment, place, home) ? one.found : 'not-found';
  }

  function flagsOfSegment(segment: Segment): readonly FeatureFlag[] {
    if (nameConflictWithOf(segments, segment)) return [];
    return flags
      .by('segment', wireNameOf(segment))
      .filter((flag) => !nameConflictWithOf(flags, flag) && lookup(wireNameOf(segment), flag) !== 'not-found');
  }

  return {
    segmentsByName: present,
    segmentsOf: (flag: FeatureFlag): SegmentLookups =>
      new Map([...segmentNamesOf(flag)].map((name) => [name, lookup(name, flag)])),
    segments: (): readonly Segment[] => inIdOrder([...segments.all()].filter((one) => isServed(segments, one))),
    segmentClaim: (name: string): NameClaim | undefined => segments.claims.claimOf(name),
    segmentsOfStrategy: (id: string): StrategySegments | undefined => {
      const flag = flags.by('segmentedStrategy', id).find((one) => !nameConflictWithOf(flags, one));
      const found = flag && segmentedStrategies(flag).find((one) => one.id === id);
      return found && { flag, names: found.names };
    },
    segmentNamed: (name: string): Segment | undefined => nameOwner(segments, name),
    segment: (id: number): Segment | undefined => {
      const found = idOwner(segments, id);
      return found && isServed(segments, found) ? found : undefined;
    },
    segmentConflictsWith: (segment: Segment): SegmentConflicts => ({
      conflictingOwner: nameConflictWithOf(segments, segment),
      idConflictWith: idConflictWithOf(segments, segment),
    }),
    projectOfSegment({ metadata: { namespace }, spec }: Segment): ProjectLookup {
      const id = spec.project ?? '';
      if (namespace === home) return { exists: nameOwner(projects, id) !== undefined };
      const { project, projectElsewhere } = projectContext.flagContextOf(namespace, id);
      return { exists: project !== undefined, elsewhere: projectElsewhere };
    },
    segmentDuplicates: (segment: Segment): readonly Ref[] => duplicatesOf(segments, segment),
    flagsOfSegment,
    environmentsOfSegment(segment: Segment): readonly string[] {
      const name = wireNameOf(segment);
      const using = flagsOfSegment(segment).filter((flag) => !isArchived(flag));
      // An approver sees the name of the segment, not what it will say.
      const asking = changeRequests.by('segment', name).filter((request) => {
        const flag = flags.get(targetRefOf(request));
        return flag && !nameConflictWithOf(segments, segment) && lookup(name, flag) !== 'not-found';
      });
      return environmentsUsing([...using, ...asking], name);
    },
    highestSegmentId: highestIn(segments),
  };
}

interface StrategySegments {
  readonly flag: FeatureFlag;
  readonly names: readonly string[];
}

interface SegmentConflicts {
  readonly conflictingOwner: NameConflictWith | undefined;
  readonly idConflictWith: Ref | undefined;
}
