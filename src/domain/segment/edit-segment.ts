/** Edits of a segment: functions from the object to its next spec. */
import { isDeepStrictEqual } from 'node:util';
import type { Constraint } from '../../schema/constraint.ts';
import type { Segment, SegmentSpec } from '../../schema/segment.ts';
import { refuseDefect } from '../judgement/defects.ts';
import { meaningOf } from './segment-values.ts';

/** Absent fields stay, null removes a field. */
export interface SegmentChange {
  readonly description?: string | null | undefined;
  readonly project?: string | null | undefined;
  readonly constraints?: readonly Constraint[] | undefined;
}

/** Writes only fields whose meaning changes. */
export function changeSegment(segment: Segment, { description, project, constraints }: SegmentChange): SegmentSpec {
  const { spec } = segment;
  const differing = {
    ...(isOther(description, spec.description) && { description: description ?? undefined }),
    ...(isOther(project, spec.project) && { project: project ?? undefined }),
    ...(constraints && !isSame(constraints, spec.constraints ?? []) && { constraints: [...constraints] }),
  };
  if (constraints) refuseDefects(segment);
  return Object.keys(differing).length === 0 ? spec : { ...spec, ...differing };
}

function isOther(wanted: string | null | undefined, present: string | undefined): boolean {
  return wanted !== undefined && (wanted ?? '') !== (present ?? '');
}

function isSame(some: readonly Constraint[], others: readonly Constraint[]): boolean {
  return isDeepStrictEqual(some.map(meaningOf), others.map(meaningOf));
}

/** Constraints with defects are missing from answers, so a caller would overwrite them unseen. */
function refuseDefects(segment: Segment): void {
  refuseDefect(segment, segment.defects[0], 'constraints');
}
