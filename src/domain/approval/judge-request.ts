/** The verdict on a change request: whether its change may be made, and if not, what is missing. */
import { timestampOf } from '../../model/clock.ts';
import { cut } from '../../model/text.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import {
  type ChangeRequest,
  type ChangeRequestStatus,
  MAX_REQUESTED_ENVIRONMENTS,
  MAX_WANTED_BYTES,
  type Person,
  type RequestPhase,
} from '../../schema/change-request.ts';
import type { ProblemReason } from '../../schema/condition.ts';
import type { Environment } from '../../schema/environment.ts';
import { touchedByFlag } from '../flag/edit/environments-touched.ts';
import { wireNameOf } from '../identity/names.ts';
import { defectFindings, type Finding, judged } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';
import { maySame, type UsersByName } from './people.ts';
import { endOfRequest, isDue, isFinal } from './request-life.ts';
import { environmentsNamed, flagAfter, presentIn, type Target, wantedBy } from './target.ts';
import { digestOfValues, fieldsThatDiffer, isSameValues, type Values } from './values.ts';

/** A right that was withdrawn, and a clock that was set forward, are noticed within this time. */
export const MAX_RIGHTS_AGE_MS = 30_000;

export interface RequestInContext {
  readonly request: ChangeRequest;
  /** Undefined: there is no such object in this namespace. */
  readonly target: Target | undefined;
  /** The environments that the change is about and that need approvals. */
  readonly guarded: readonly Environment[];
  /** The decisions on the request by people who may still make them, the oldest first. */
  readonly decisions: readonly ChangeApproval[];
  readonly users: UsersByName;
  /** What prevents Vexil from making the approved change; undefined: nothing is known to. */
  readonly obstacle: string | undefined;
}

/** The fields of the status that stay unless a step changes them. */
const PROGRESS = [
  'phase',
  'environments',
  'required',
  'approvedBy',
  'approvals',
  'rejectedBy',
  'base',
  'targetUid',
  'targetGeneration',
  'expiresAt',
  'endedAt',
] as const;

type Progress = Pick<ChangeRequestStatus, (typeof PROGRESS)[number]>;

interface RequestStep {
  readonly progress: Progress;
  readonly finding?: Finding | undefined;
}

/** `now` in ms since 1970. */
export function judgeRequest(context: RequestInContext, now: number): Verdict<ChangeRequestStatus> {
  const { request } = context;
  const { progress: reached, finding } = stepOf(context, now);
  const progress = isFinal(reached.phase) ? { ...reached, endedAt: reached.endedAt ?? timestampOf(now) } : reached;
  const findings = [...defectFindings(request.defects), ...(finding ? [finding] : [])];
  const status = { ...judged({ object: request, findings, now }), ...progress };
  return isFinal(progress.phase) || request.defects.length > 0
    ? { status }
    : { status, recheckInMs: MAX_RIGHTS_AGE_MS };
}

function stepOf(context: RequestInContext, now: number): RequestStep {
  const { request, target } = context;
  const before = progressOf(request);
  // A part that cannot be read was not approved.
  if (request.defects.length > 0) return { progress: { ...before, phase: before.phase ?? 'Pending' } };
  if (isFinal(before.phase)) return { progress: before, finding: findingOf(before, request) };
  const expiresAt = timestampOf(endOfRequest(request));
  const end = (phase: RequestPhase, more: Partial<Progress> = {}, message?: string): RequestStep => {
    const progress = { ...before, ...more, expiresAt, phase };
    return { progress, finding: findingOf(progress, request, message) };
  };
  if (request.spec.cancelled) return end('Cancelled');
  if (now >= endOfRequest(request)) return end('Expired');
  if (!target) {
    return before.targetUid === undefined
      ? { progress: { ...before, expiresAt, phase: 'Pending' }, finding: targetNotFound(request) }
      : end('Outdated', {}, `the ${nameOf(request)} is gone`);
  }
  return judgeAgainst(context, target, { before: { ...before, expiresAt }, end, now });
}

interface Judging {
  readonly before: Progress;
  readonly end: (phase: RequestPhase, more?: Partial<Progress>, message?: string) => RequestStep;
  readonly now: number;
}

function judgeAgainst(context: RequestInContext, target: Target, { before, end, now }: Judging): RequestStep {
  const { request } = context;
  const wanted = wantedBy(request);
  const present = presentIn(target, request);
  const environments = context.guarded.map(wireNameOf).slice(0, MAX_REQUESTED_ENVIRONMENTS);
  const targeted = { ...before, ...originOf(before, target, present), environments };
  const stale = whyOutdated(request, target, { progress: targeted, present });
  if (isSameValues(present, wanted) && stale !== 'other') {
    // What was approved is in effect, so the change is about no environment any more.
    return end('Applied', { ...targeted, environments: before.environments ?? environments });
  }
  if (stale !== undefined) return end('Outdated', targeted, staleText(stale, request, present));
  const mistake = mistakeIn(context, target, wanted);
  if (mistake) return { progress: { ...targeted, phase: 'Pending' }, finding: mistake };
  const votes = count(context);
  const counted = { ...targeted, ...votes.progress };
  if (votes.rejectedBy !== undefined) return end('Rejected', { ...counted, rejectedBy: votes.rejectedBy });
  const isEnough = votes.progress.approvedBy.length >= votes.progress.required;
  const progress: Progress = { ...counted, phase: isEnough ? 'Approved' : 'Pending' };
  if (!isEnough) return { progress, finding: approvalMissing(context, votes.progress) };
  return {
    progress: { ...progress, targetGeneration: target.object.metadata.generation },
    finding: notYet(context, now),
  };
}

function progressOf({ status }: ChangeRequest): Progress {
  const known = PROGRESS.map((name) => [name, status?.[name]] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known);
}

/** What the change replaces is recorded when the request is first judged. */
function originOf({ base, targetUid }: Progress, { object }: Target, present: Values) {
  return { base: base ?? digestOfValues(present), targetUid: targetUid ?? object.metadata.uid };
}

type Stale = 'other' | 'changed' | 'unwatched';

interface Compared {
  readonly progress: Progress;
  readonly present: Values;
}

/**
 * `unwatched`: the spec has changed more than once since the change was granted, so the grant may have been used and
 * the change taken back.
 */
function whyOutdated(
  { spec, status }: ChangeRequest,
  { object: { metadata } }: Target,
  { progress, present }: Compared,
): Stale | undefined {
  const { uid, generation } = spec.target;
  if (metadata.uid !== (uid ?? progress.targetUid) || metadata.uid !== progress.targetUid) return 'other';
  if (digestOfValues(present) !== progress.base) return 'changed';
  if (status?.base === undefined && generation !== undefined && generation !== metadata.generation) return 'changed';
  const granted = progress.targetGeneration;
  return granted !== undefined && metadata.generation > granted + 1 ? 'unwatched' : undefined;
}

function staleText(stale: Stale, request: ChangeRequest, present: Values): string {
  if (stale === 'other') return `another object has the name of the ${nameOf(request)} now`;
  if (stale === 'unwatched') return `the ${nameOf(request)} has changed while no operator watched it`;
  const fields = fieldsThatDiffer(present, wantedBy(request));
  return `the ${nameOf(request)} has changed since the request was made; the request would change ${fields.join(', ')}`;
}

interface Votes {
  readonly progress: { readonly required: number; readonly approvedBy: string[]; readonly approvals: string };
  readonly rejectedBy: string | undefined;
}

/** One person counts once, and the author only where each environment allows it. */
function count({ request, guarded, decisions, users }: RequestInContext): Votes {
  const required = Math.max(0, ...guarded.map(({ spec }) => spec.approvals?.required ?? 1));
  const mayApproveOwn = guarded.every(({ spec }) => spec.approvals?.selfApproval === true);
  const { author } = request.spec;
  const counted: Person[] = [];
  for (const { spec } of decisions) {
    const { approver, decision } = spec;
    if (decision === 'Comment') continue;
    if (decision === 'Reject') return { progress: progressWith(required, counted), rejectedBy: approver.name };
    if (!mayApproveOwn && maySame(approver, author, users)) continue;
    if (!counted.some((one) => maySame(one, approver, users))) counted.push(approver);
  }
  return { progress: progressWith(required, counted), rejectedBy: undefined };
}

function progressWith(required: number, counted: readonly Person[]) {
  const approvedBy = counted.slice(0, 20).map(({ name }) => cut(name, 256));
  return { required, approvedBy, approvals: `${counted.length}/${required}` };
}

const error = (reason: ProblemReason, message: string, ...path: readonly string[]): Finding => ({
  severity: 'Error',
  path,
  reason,
  message,
});

function targetNotFound({ metadata, spec: { target } }: ChangeRequest): Finding {
  const advice = target.kind === 'FeatureFlag' ? ': create it without these environments first' : '';
  const message = `there is no ${target.kind} ${target.name} in namespace ${metadata.namespace}${advice}`;
  return error('TargetNotFound', message, 'target', 'name');
}

/** The target, for messages. */
function nameOf({ spec: { target } }: ChangeRequest): string {
  return `${target.kind === 'FeatureFlag' ? 'flag' : target.kind.toLowerCase()} ${target.name}`;
}

/** What only another request can mend. */
function mistakeIn(
  { request, guarded }: RequestInContext,
  { kind, object }: Target,
  wanted: Values,
): Finding | undefined {
  if (Buffer.byteLength(JSON.stringify(wanted)) > MAX_WANTED_BYTES) return tooLarge();
  if (guarded.length === 0) {
    const message = `the change of the ${nameOf(request)} needs no approval: make it directly`;
    return error('NoApprovalNeeded', message, 'target');
  }
  if (kind !== 'FeatureFlag') return undefined;
  const touched = touchedByFlag({ before: object.spec, after: flagAfter(object.spec, request) });
  const missing = touched.filter((name) => !environmentsNamed(request.spec).includes(name));
  if (missing.length === 0) return undefined;
  const message = `the request would also change ${missing.join(', ')}: make another that names all environments it changes`;
  return error('EnvironmentsLeftOut', message, 'environments');
}

function tooLarge(): Finding {
  return error(
    'ChangeTooLarge',
    `the values have more than ${MAX_WANTED_BYTES} bytes: ask for a smaller change`,
    'target',
  );
}

function approvalMissing({ guarded }: RequestInContext, { required, approvedBy }: Votes['progress']): Finding {
  const where = guarded.map(wireNameOf).join(', ');
  const message = `${approvedBy.length} of ${required} approvals: a user who may approve changes in ${where} can approve this one`;
  return error('ApprovalMissing', message, 'target');
}

function notYet({ request, obstacle }: RequestInContext, now: number): Finding {
  if (!isDue(request, now))
    return error('AppliesLater', `the change is approved, and comes into effect at ${request.spec.applyAt}`, 'applyAt');
  const why = obstacle ?? 'Vexil writes it now';
  return error('OwnerMustApply', `the change is approved: ${why}`, 'target');
}

const ended: Readonly<Partial<Record<RequestPhase, (progress: Progress) => readonly [ProblemReason, string]>>> = {
  Rejected: ({ rejectedBy }) => ['ChangeRejected', `${rejectedBy ?? 'somebody'} rejected the request`],
  Cancelled: () => ['ChangeCancelled', 'the request was withdrawn'],
  Expired: ({ expiresAt }) => ['ChangeExpired', `the request ended at ${expiresAt}: make another`],
  Outdated: () => ['ChangeOutdated', 'the target has changed since the request was made: make another'],
};

/** A message that was written once stays. */
function findingOf(progress: Progress, { status }: ChangeRequest, message?: string): Finding | undefined {
  const found = progress.phase && ended[progress.phase]?.(progress);
  if (!found) return undefined;
  const [reason, text] = found;
  const before = status?.problems?.find((one) => one.reason === reason)?.message;
  return error(reason, message ?? before ?? text, 'target');
}
