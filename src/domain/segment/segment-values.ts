/** The values of a segment, and what it means for flags that name it. */
import type { Constraint } from '../../schema/constraint.ts';
import type { Segment } from '../../schema/segment.ts';
import { wireNameOf } from '../identity/names.ts';
import { isServableConstraint } from './constraints-disagree.ts';

/** A segment that flags can use. */
export interface UsableSegment {
  readonly id: number;
  readonly name: string;
  readonly constraints: readonly Constraint[];
}

/** `not-found`: there is none for this flag. `not-ready`: there is one, but it has problems or no id yet. */
export type SegmentLookup = UsableSegment | 'not-found' | 'not-ready';

/** The result of the lookup for each name in the strategies of a flag. */
export type SegmentLookups = ReadonlyMap<string, SegmentLookup>;

/**
 * A segment without one of its constraints, which has a defect or which SDKs cannot be sent, would match more users.
 */
export function usableSegment(segment: Segment): UsableSegment | 'not-ready' {
  const id = segment.status?.id;
  const constraints = segment.spec.constraints ?? [];
  if (id === undefined || segment.defects.length > 0 || !constraints.every(isServableConstraint)) return 'not-ready';
  return { id, name: wireNameOf(segment), constraints };
}

export interface FlagPlace {
  readonly namespace: string;
  readonly projectId: string;
}

/** Whether flags of this project may use the segment. `home` is the operator namespace. */
export function isForFlagsOf({ metadata, spec }: Segment, { namespace, projectId }: FlagPlace, home: string): boolean {
  const isNear = metadata.namespace === home || metadata.namespace === namespace;
  return isNear && (spec.project === undefined || spec.project === projectId);
}

export type StatedConstraint = Omit<Constraint, 'values'> & { values: string[] };

export function meaningOf(constraint: Constraint): StatedConstraint {
  return { ...constraint, values: constraint.values ?? [] };
}
