/** The findings of a judgement, and the conditions and problems that a status reports for them. */

import { timestampOf } from '../../model/clock.ts';
import type { Defect, Ref } from '../../model/object.ts';
import { cut } from '../../model/text.ts';
import type { Condition, ConditionReason, ConditionType, Problem, ProblemReason } from '../../schema/condition.ts';
import { type Authored, lastAuthorOf } from '../identity/author.ts';
import { compareText, type Named, wireNameOf } from '../identity/names.ts';

export interface Finding {
  readonly severity: Problem['severity'];
  /** Keys from the spec down. */
  readonly path: readonly string[];
  readonly reason: ProblemReason;
  readonly message: string;
}

/** Errors that time or another object can fix; every other error needs an edit of this object. */
const waiting: ReadonlySet<ProblemReason> = new Set([
  'ProjectNotFound',
  'EnvironmentNotFound',
  'EnvironmentNotInProject',
  'UnknownStrategy',
  'ParentNotFound',
  'SegmentNotFound',
  'SegmentNotReady',
  'RoleNotFound',
  'CloneInProgress',
  'CloneSourceNotReady',
  'UserNotFound',
  'SecretNotFound',
  'SecretNotOurs',
  'SecretUnusable',
  'TargetNotFound',
  'ApprovalMissing',
  'AppliesLater',
  'OwnerMustApply',
  'ReceiverFailing',
  'TooManySinks',
]);

const MAX_PROBLEMS = 100;

export function defectFindings(defects: readonly Defect[]): readonly Finding[] {
  return defects.map(({ path, message }) => ({ severity: 'Error', path, reason: 'InvalidSpec', message }));
}

/** The finding for an object whose wire name an older object of the same kind owns. Empty without that object. */
export function nameConflict(kind: string, object: Named, conflictingOwner: Ref | undefined): readonly Finding[] {
  if (!conflictingOwner) return [];
  const message = `the ${kind} name "${wireNameOf(object)}" is owned by the older object ${conflictingOwner.namespace}/${conflictingOwner.name}: delete one of the two`;
  return [{ severity: 'Error', path: ['name'], reason: 'NameConflict', message }];
}

/** The finding for an object whose id another object of the same kind owns. Empty without a `conflictingOwner`. */
export function idConflict(id: number | undefined, conflictingOwner: Ref | undefined): readonly Finding[] {
  if (!conflictingOwner) return [];
  const message = `the id ${id} is owned by ${conflictingOwner.namespace}/${conflictingOwner.name}: leave spec.id out, or choose another`;
  return [{ severity: 'Error', path: ['id'], reason: 'IdConflict', message }];
}

interface MissingProject {
  readonly project: string;
  /** The namespace of the object that names the project. */
  readonly namespace: string;
  /** The namespace that has a project of this id, if it is another. */
  readonly elsewhere?: string | undefined;
}

/** `kind` names the object in words. */
export function projectNotFound(kind: string, { project, namespace, elsewhere }: MissingProject): Finding {
  const message = elsewhere
    ? `the project "${project}" is in namespace ${elsewhere} and this ${kind} is not: create the ${kind} there, or under another project`
    : `there is no project "${project}" in namespace ${namespace}: create it there`;
  return { severity: 'Error', path: ['project'], reason: 'ProjectNotFound', message };
}

export function isError({ severity }: Finding): boolean {
  return severity === 'Error';
}

interface JudgedStatus {
  readonly observedGeneration: number;
  readonly changedBy?: string;
  readonly conditions: Condition[];
  readonly problems?: Problem[];
}

export interface JudgedParts {
  /** The judged object with its present status: the transition times of unchanged conditions stay. */
  readonly object: Authored & {
    readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
  };
  readonly findings: readonly Finding[];
  /** Further conditions, in addition to those that follow from the findings. */
  readonly also?: readonly FurtherCondition[];
  /** Ms since 1970. */
  readonly now: number;
}

/** A condition that has no times yet. */
export interface FurtherCondition {
  readonly type: ConditionType;
  readonly status: Condition['status'];
  readonly reason: ConditionReason;
  readonly message: string;
}

/** The part of a status that every kind has. Ready follows from the findings alone. */
export function judged({ object, findings, also = [], now }: JudgedParts): JudgedStatus {
  const { generation } = object.metadata;
  const problems = toProblems(findings);
  const conditions = [...readiness(findings.filter(isError), problems), ...also].map((recorded) =>
    withTime({ ...recorded, observedGeneration: generation }, object.status?.conditions, now),
  );
  const author = lastAuthorOf(object);
  return {
    observedGeneration: generation,
    ...(author !== undefined && { changedBy: cut(author, 256) }),
    conditions,
    ...(problems.length > 0 && { problems }),
  };
}

function readiness(errors: readonly Finding[], problems: readonly Problem[]): FurtherCondition[] {
  const first = problems[0];
  if (errors.length === 0 || !first) {
    return [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: 'Everything in the spec is in effect' }];
  }
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see status.problems)` : '';
  const because = { reason: first.reason, message: `${first.path}: ${first.message}${more}` };
  const own = errors.some(({ reason }) => !waiting.has(reason));
  return [
    { type: 'Ready', status: 'False', ...because },
    { type: own ? 'Stalled' : 'Reconciling', status: 'True', ...because },
  ];
}

/** Errors come first, errors in the spec before missing objects, shorter paths before longer ones. */
function toProblems(findings: readonly Finding[]): Problem[] {
  const rank = (f: Finding) => (isError(f) ? (waiting.has(f.reason) ? 1 : 0) : 2);
  return findings
    .map((finding) => ({ finding, path: pathText(finding.path) }))
    .sort(
      (a, b) =>
        rank(a.finding) - rank(b.finding) ||
        a.finding.path.length - b.finding.path.length ||
        compareText(a.path, b.path) ||
        compareText(a.finding.reason, b.finding.reason) ||
        compareText(a.finding.message, b.finding.message),
    )
    .slice(0, MAX_PROBLEMS)
    .map(({ finding: { severity, reason, message }, path }) => ({
      severity,
      path: cut(path, 512),
      reason,
      message: cut(message, 1024),
    }));
}

/** `spec.environments.production`; a key with a dot in brackets, as the API server writes it. */
export function pathText(path: readonly string[]): string {
  return path.reduce((sum, key) => (/[.[\]]/.test(key) ? `${sum}[${key}]` : `${sum}.${key}`), 'spec');
}

function withTime(
  recorded: Omit<Condition, 'lastTransitionTime'>,
  before: readonly Condition[] | undefined,
  now: number,
): Condition {
  const old = before?.find(({ type }) => type === recorded.type);
  // The message may change without a transition.
  const same = old && old.status === recorded.status && old.reason === recorded.reason;
  const lastTransitionTime = same ? old.lastTransitionTime : timestampOf(now);
  return { ...recorded, lastTransitionTime };
}
