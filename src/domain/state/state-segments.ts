/** Segments as a state document wants them, and the segments that flags can use after the import. */
import { Refusal } from '../../errors.ts';
import type { Segment, SegmentSpec } from '../../schema/segment.ts';
import { changeSegment } from '../segment/edit-segment.ts';
import { isForFlagsOf } from '../segment/segment-values.ts';
import type { Complaint, ReachesFlags } from './checks.ts';
import type { WantedSegment } from './wanted.ts';

/** A description that the document does not have stays, unless the segment is replaced. */
export function importSegment(segment: Segment, { at, name, spec }: WantedSegment, replace: boolean): SegmentSpec {
  const { project } = segment.spec;
  if (spec.project !== project) {
    const present = project === undefined ? 'all projects' : `the project "${project}"`;
    const message = `Cannot overwrite the segment "${name}": it is for flags of ${present}. Delete it first, or name the same project.`;
    throw new Refusal('name-taken', message, { details: [{ part: 'document', keys: [...at, 'name'], message }] });
  }
  const description = spec.description ?? (replace ? null : undefined);
  return changeSegment(segment, { description, constraints: spec.constraints ?? [] });
}

interface PresentSegments {
  readonly segmentNamed: (name: string) => Segment | undefined;
  /** The operator namespace. */
  readonly home: string;
}

export function segmentsAfter(
  wanted: readonly WantedSegment[] | undefined,
  { segmentNamed, home }: PresentSegments,
): ReachesFlags {
  const projects = new Map((wanted ?? []).map(({ name, spec }) => [name, spec.project]));
  return (name, place) => {
    const present = segmentNamed(name);
    if (present) return isForFlagsOf(present, place, home);
    const project = projects.get(name);
    return project === undefined || project === place.projectId;
  };
}

export function brokenSegments(
  wanted: readonly WantedSegment[] | undefined,
  namespaceOf: (project: string) => string | undefined,
): readonly Complaint[] {
  return (wanted ?? []).flatMap(({ at, spec: { project } }) => {
    if (project === undefined || namespaceOf(project) !== undefined) return [];
    const complaint = 'must be the id of an existing project or of a project in the document.';
    return [{ at: [...at, 'project'], complaint, value: JSON.stringify(project) }];
  });
}
