/**
 * The times for which the plans of two versions of an object apply, as far as the status has followed them (ADR 56).
 */
import { latestOf } from '../../kube/object/written-at.ts';
import type { CustomObject } from '../../model/object.ts';
import { specWrittenAt } from './times.ts';

/** Times in ms since 1970. */
export interface PlannedSpan {
  /** The version whose spec is the plan. */
  readonly plan: 'before' | 'after';
  /** Exclusive. */
  readonly since: number;
  /** Inclusive. */
  readonly until: number;
  /**
   * Whether the span begins with the write of the plan, rather than at the time up to which the status has followed the
   * plan.
   */
  readonly isSinceWrite: boolean;
}

interface FollowedStatus {
  readonly observedGeneration?: number | undefined;
  /** The last moment of the plan. */
  readonly changedByTimeAt?: string | undefined;
}

type PlannedObject = CustomObject<unknown, FollowedStatus>;

interface PlannedVersions {
  /** Absent: the object is new. */
  readonly before?: PlannedObject | undefined;
  readonly after: PlannedObject;
}

/**
 * The plan of the earlier spec applies up to the write of the later one; then the plan of the later spec applies, up to
 * the time in its status. A moment that was recorded before has the same key, and is not recorded again.
 */
export function plannedSpans({ before, after }: PlannedVersions): readonly PlannedSpan[] {
  const ofAfter: PlannedSpan[] = isJudged(after)
    ? [{ plan: 'after', ...beginOfAfter({ before, after }), until: reachedIn(after) }]
    : [];
  // After several edits it is not known which of them ended the plan.
  const isOneEdit = after.metadata.generation === (before?.metadata.generation ?? 0) + 1;
  if (!before || !isOneEdit) return ofAfter;
  return [{ plan: 'before', ...beginOf(before), until: writtenAtOf(after) }, ...ofAfter];
}

type Begin = Pick<PlannedSpan, 'since' | 'isSinceWrite'>;

/** Earlier moments of the spec after the step are recorded already, or precede its write. */
function beginOfAfter({ before, after }: PlannedVersions): Begin {
  const isSame = before?.metadata.generation === after.metadata.generation;
  // A later write that leaves the spec unchanged may have renewed the time of its owner.
  return isSame ? beginOf(before) : { since: writtenAtOf(after), isSinceWrite: true };
}

/** Moments of a version are not recorded before its status describes its spec. */
function beginOf(version: PlannedObject): Begin {
  return isJudged(version)
    ? { since: reachedIn(version), isSinceWrite: false }
    : { since: writtenAtOf(version), isSinceWrite: true };
}

/** Whether the status describes the present spec. */
function isJudged({ metadata, status }: PlannedObject): boolean {
  return status?.observedGeneration === metadata.generation;
}

function reachedIn({ status }: PlannedObject): number {
  return latestOf([status?.changedByTimeAt ?? '']) ?? Number.NEGATIVE_INFINITY;
}

function writtenAtOf(version: PlannedObject): number {
  return specWrittenAt(version) ?? Number.POSITIVE_INFINITY;
}
