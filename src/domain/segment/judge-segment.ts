/** The verdict on a segment: its status. */
import type { Ref } from '../../model/object.ts';
import type { SegmentGrant } from '../../schema/approvals.ts';
import type { Segment, SegmentStatus } from '../../schema/segment.ts';
import { wantedId } from '../identity/integer-id.ts';
import { defectFindings, type Finding, idConflict, judged, projectNotFound } from '../judgement/findings.ts';
import type { Granted, Verdict } from '../judgement/verdict.ts';
import type { NameConflictWith } from '../name-claims/name-claims.ts';
import { nameDuplicated, nameTaken } from '../name-claims/name-findings.ts';
import { constraintsDisagree } from './constraints-disagree.ts';

export interface SegmentInContext {
  readonly segment: Segment;
  /** The id for its status; undefined: none. */
  readonly id: number | undefined;
  /** The owner of the wire name, if it is another object or namespace. */
  readonly conflictingOwner: NameConflictWith | undefined;
  /** The segment that owns the id, if it is another. */
  readonly idConflictWith: Ref | undefined;
  /** Other segments with the same name, which flags do not use. */
  readonly duplicates: readonly Ref[];
  /** The project that the segment names. */
  readonly project: ProjectLookup;
  /** How many flags use the segment. */
  readonly flags: number;
  /** The environments in which flags use the segment, ordered. */
  readonly environments: readonly string[];
  /** Undefined: no request is about the segment. */
  readonly granted?: Granted<SegmentGrant> | undefined;
}

export interface ProjectLookup {
  readonly exists: boolean;
  /** The namespace of the project, if it is another than the segment's. */
  readonly elsewhere?: string | undefined;
}

/** Environments in a status. */
const MAX_NAMED = 100;

type Check = (context: SegmentInContext) => readonly Finding[];

const checks: readonly Check[] = [
  ({ segment }) => defectFindings(segment.defects),
  ({ segment, conflictingOwner }) => nameTaken('segment', segment, conflictingOwner),
  ({ segment, duplicates }) => nameDuplicated('segment', segment, duplicates),
  ({ segment, idConflictWith }) => idConflict(wantedId(segment), idConflictWith),
  projectExists,
  ({ segment }) => constraintsDisagree(['constraints'], segment.spec.constraints, 'flags cannot use the segment'),
];

/** `now` in ms since 1970. */
export function judgeSegment(context: SegmentInContext, now: number): Verdict<SegmentStatus> {
  const { segment, id, flags, environments, granted } = context;
  const findings = checks.flatMap((check) => check(context));
  const named = environments.length > 0 ? { environments: environments.slice(0, MAX_NAMED) } : {};
  const status = {
    ...judged({ object: segment, findings, now }),
    ...(id !== undefined && { id }),
    flags,
    ...named,
    ...(granted && granted.grants.length > 0 && { grants: granted.grants }),
  };
  return { status, ...(granted?.nextAt !== undefined && { recheckInMs: Math.max(0, granted.nextAt - now) }) };
}

function projectExists({ segment, project: { exists, elsewhere } }: SegmentInContext): readonly Finding[] {
  const { project } = segment.spec;
  if (project === undefined || exists) return [];
  return [projectNotFound('segment', { project, namespace: segment.metadata.namespace, elsewhere })];
}
