/** Between two versions of an object: for which times its plans hold, as far as the status has followed them (ADR 56). */
import { latestOf } from '../../kube/cache/written-at.ts';
import type { CustomObject } from '../../model/object.ts';

/** Times in ms since 1970. */
export interface PlannedSpan {
  /** Whose spec is the plan. */
  readonly plan: 'before' | 'after';
  /** Exclusive. */
  readonly since: number;
  /** Inclusive. */
  readonly until: number;
}

interface FollowedStatus {
  readonly observedGeneration?: number | undefined;
  /** The last moment of the plan. */
  readonly changedByTimeAt?: string | undefined;
}

type Planned = CustomObject<unknown, FollowedStatus>;

interface PlannedVersions {
  /** Absent: the object is new. */
  readonly before?: Planned | undefined;
  readonly after: Planned;
}

/**
 * Up to the write of another spec, that of the spec before it; from then on up to what the status says, that of the spec
 * after it. A moment that was recorded before has the same key, and is not recorded again.
 */
export function plannedSpans({ before, after }: PlannedVersions): readonly PlannedSpan[] {
  const ofAfter: PlannedSpan[] = isJudged(after)
    ? [{ plan: 'after', since: recordedUpTo({ before, after }), until: reachedIn(after) }]
    : [];
  // Of several edits it is not known which of them ended the plan.
  const isOneEdit = after.metadata.generation === (before?.metadata.generation ?? 0) + 1;
  if (!before || !isOneEdit || !isJudged(before)) return ofAfter;
  return [{ plan: 'before', since: reachedIn(before), until: writtenAtOf(after) }, ...ofAfter];
}

/** Earlier moments of the spec after the step are recorded, or were before it was written. */
function recordedUpTo({ before, after }: PlannedVersions): number {
  if (before?.metadata.generation !== after.metadata.generation) return writtenAtOf(after);
  // A later write that leaves the spec alone may have renewed the time of its owner.
  return isJudged(before) ? reachedIn(before) : writtenAtOf(before);
}

/** The status is about the present spec. */
function isJudged({ metadata, status }: Planned): boolean {
  return status?.observedGeneration === metadata.generation;
}

function reachedIn({ status }: Planned): number {
  return latestOf([status?.changedByTimeAt ?? '']) ?? Number.NEGATIVE_INFINITY;
}

/** When the spec was written, in whole seconds. */
function writtenAtOf({ metadata, owners }: Planned): number {
  return latestOf([metadata.creationTimestamp, ...owners.map(({ time = '' }) => time)]) ?? Number.POSITIVE_INFINITY;
}
