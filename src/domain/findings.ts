/** What a judgement finds, and how it is told in a status. */
import type { Condition, ConditionReason, ConditionType, Problem, ProblemReason } from '../schema/condition.ts';
import type { Defect, Ref } from '../schema/object.ts';
import { type Authored, lastAuthorOf } from './author.ts';
import { compareText } from './names.ts';

export interface Finding {
  readonly severity: Problem['severity'];
  /** Keys from the spec down. */
  readonly path: readonly string[];
  readonly reason: ProblemReason;
  readonly message: string;
}

/** Errors that time or another object may yet mend; every other error needs an edit of this one. */
const waiting: ReadonlySet<ProblemReason> = new Set([
  'ProjectNotFound',
  'EnvironmentNotFound',
  'EnvironmentNotInProject',
  'UnknownStrategy',
  'RoleNotFound',
  'CloneInProgress',
  'CloneSourceNotReady',
  'UserNotFound',
  'SecretNotFound',
  'SecretNotOurs',
  'SecretUnusable',
]);

const MOST_PROBLEMS = 100;

export function defectFindings(defects: readonly Defect[]): readonly Finding[] {
  return defects.map(({ path, message }) => ({ severity: 'Error', path, reason: 'InvalidSpec', message }));
}

/** An older object of the same kind has the wire name. */
export function nameConflict(what: string, wireName: string, rival: Ref): Finding {
  return {
    severity: 'Error',
    path: ['name'],
    reason: 'NameConflict',
    message: `the ${what} name "${wireName}" is held by the older object ${rival.namespace}/${rival.name}: delete one of the two`,
  };
}

/** Another object of the same kind has the id; `rival` undefined: none has. */
export function idConflict(id: number | undefined, rival: Ref | undefined): readonly Finding[] {
  if (!rival) return [];
  const message = `the id ${id} is held by ${rival.namespace}/${rival.name}: leave spec.id out, or choose another`;
  return [{ severity: 'Error', path: ['id'], reason: 'IdConflict', message }];
}

export function isError({ severity }: Finding): boolean {
  return severity === 'Error';
}

interface Judged {
  readonly observedGeneration: number;
  readonly changedBy?: string;
  readonly conditions: Condition[];
  readonly problems?: Problem[];
}

export interface JudgedParts {
  /** What is judged, with the status that it has now: the times of conditions stay where nothing changed. */
  readonly object: Authored & {
    readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
  };
  readonly findings: readonly Finding[];
  /** Conditions that are true beside those that follow from the findings. */
  readonly also?: readonly Told[];
  /** Ms since 1970. */
  readonly now: number;
}

interface Told {
  readonly type: ConditionType;
  readonly status: Condition['status'];
  readonly reason: ConditionReason;
  readonly message: string;
}

/** The part of a status that every kind has: Ready is computed from the findings, and nothing else. */
export function judged({ object, findings, also = [], now }: JudgedParts): Judged {
  const { generation } = object.metadata;
  const problems = toProblems(findings);
  const conditions = [...readiness(findings.filter(isError), problems), ...also].map((told) =>
    withTime({ ...told, observedGeneration: generation }, object.status?.conditions, now),
  );
  const author = lastAuthorOf(object);
  return {
    observedGeneration: generation,
    ...(author !== undefined && { changedBy: cut(author, 256) }),
    conditions,
    ...(problems.length > 0 && { problems }),
  };
}

function readiness(errors: readonly Finding[], problems: readonly Problem[]): Told[] {
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

/** Errors first, own mistakes before missing objects, what concerns more of the object before what concerns less. */
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
    .slice(0, MOST_PROBLEMS)
    .map(({ finding: { severity, reason, message }, path }) => ({
      severity,
      path: cut(path, 512),
      reason,
      message: cut(message, 1024),
    }));
}

/** Never half a character: the API server would store another text, and the status would differ for ever. */
export function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

/** `spec.environments.production`; a key with a dot in brackets, as the API server writes it. */
function pathText(path: readonly string[]): string {
  return path.reduce((sum, key) => (/[.[\]]/.test(key) ? `${sum}[${key}]` : `${sum}.${key}`), 'spec');
}

/** As the API server writes times: in UTC, whole seconds. */
export function timestampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function withTime(
  told: Omit<Condition, 'lastTransitionTime'>,
  before: readonly Condition[] | undefined,
  now: number,
): Condition {
  const old = before?.find(({ type }) => type === told.type);
  const same = old && old.status === told.status && old.reason === told.reason && old.message === told.message;
  const lastTransitionTime = same ? old.lastTransitionTime : timestampOf(now);
  return { ...told, lastTransitionTime };
}
