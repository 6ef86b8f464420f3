/** Segment: assigns its id, and reconciles its status with its spec, its project and the flags that use it. */
import { segmentMapping } from '../audit/derive/segment.ts';
import { changedOrGotId } from '../catalog/cached.ts';
import { grantedToSegment } from '../domain/approval/grants.ts';
import { isArchived } from '../domain/flag/flag-values.ts';
import { segmentNamesOf } from '../domain/flag/segments-of-flag.ts';
import { judgeSegment } from '../domain/segment/judge-segment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import { type Segment, type SegmentSpec, type SegmentStatus, segment } from '../schema/segment.ts';
import { publishDuplicate } from './apply-status.ts';
import type { KindDefinition } from './definition.ts';
import { claimShard, integerIdKeys, wireNameKeys } from './indexes.ts';
import { findBy, onChange, onClaim, targetsOf, versions, wireNamesOf, withNamesakes } from './subscriptions.ts';

const indexes = {
  wireName: wireNameKeys,
  claimShard,
  id: integerIdKeys,
  project: ({ spec }: Segment) => [spec.project].flatMap((id) => id ?? []),
};

export const segmentDefinition: KindDefinition<SegmentSpec, SegmentStatus, keyof typeof indexes> = {
  kind: segment,
  indexes,
  concurrency: 4,

  triggers({ own, caches: { flags, projects, changeRequests }, claims, enqueue }) {
    const countFlags = (changed: readonly FeatureFlag[]) =>
      enqueue.later(findBy(own, 'wireName', new Set(changed.flatMap((flag) => [...segmentNamesOf(flag)]))));
    const enqueueOf = (changed: readonly Project[]) => enqueue.now(findBy(own, 'project', wireNamesOf(changed)));
    return [
      own.subscribe((change) => {
        if (!changedOrGotId(change)) return enqueue.later(versions(change));
        const withSameId = findBy(own, 'id', versions(change).flatMap(indexes.id));
        enqueue.now([...withNamesakes(own, change), ...withSameId]);
      }),
      onClaim(claims.of('segments'), own, enqueue.now),
      onChange(flags, countFlags),
      onClaim(claims.of('featureflags'), flags, countFlags),
      changeRequests.subscribe((change) => {
        const requests = versions(change);
        const named = findBy(own, 'wireName', new Set(requests.flatMap((one) => [...segmentNamesOf(one)])));
        enqueue.now([...named, ...targetsOf('Segment', change, own)]);
      }),
      onChange(projects, enqueueOf),
      onClaim(claims.of('projects'), projects, enqueueOf),
    ];
  },

  judge({ catalog, ids, now }) {
    return async (object, report) => {
      const conflicts = catalog.segmentConflictsWith(object);
      const id = await ids.idFor(segment.plural, object, conflicts);
      const flags = catalog.flagsOfSegment(object).filter((flag) => !isArchived(flag));
      const context = {
        duplicates: catalog.segmentDuplicates(object),
        project: catalog.projectOfSegment(object),
        flags: flags.length,
        environments: catalog.environmentsOfSegment(object),
        granted: grantedToSegment(object, catalog.requestsFor('Segment', object.metadata), now()),
      };
      const verdict = judgeSegment({ segment: object, id, ...conflicts, ...context }, now());
      await publishDuplicate(object, verdict.status, report);
      return verdict;
    };
  },

  auditMapping: segmentMapping,
};
