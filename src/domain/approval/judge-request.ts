/** The verdict on a change request: whether its change may be made, and if not, what is missing. */
import { timestampOf } from '../../model/clock.ts';
import { cut } from '../../model/text.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import {
  type ChangeRequest,
  type ChangeRequestStatus,
  MAX_WANTED_BYTES,
  type Person,
  type RequestPhase,
} from '../../schema/change-request.ts';
import type { ProblemReason } from '../../schema/condition.ts';
import type { Environment } from '../../schema/environment.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { touchedByFlag } from '../flag/edit/environments-touched.ts';
import { compareText, wireNameOf } from '../identity/names.ts';
import { defectFindings, type Finding, judged } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';
import {
  type Decisive,
  decisiveOf,
  digestOfDecisive,
  fieldsThatDiffer,
  isSameDecisive,
  withDecisive,
} from './decisive.ts';
import { maySame, type UsersByName } from './people.ts';
import { endOfRequest, isDue, isFinal, wantedBy } from './request-values.ts';

/** A right that was withdrawn, and a clock that was set forward, are noticed within this time. */
export const MAX_RIGHTS_AGE_MS = 30_000;

export interface RequestInContext {
  readonly request: ChangeRequest;
  /** The flag in this namespace; undefined: there is none. */
  readonly flag: FeatureFlag | undefined;
  /** The environments that the request names and that need approvals. */
  readonly guarded: readonly Environment[];
  /** The decisions on the request by people who may still make them. */
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
] as const;

type Progress = Pick<ChangeRequestStatus, (typeof PROGRESS)[number]>;

interface Step {
  readonly progress: Progress;
  readonly finding?: Finding | undefined;
}

/** `now` in ms since 1970. */
export function judgeRequest(context: RequestInContext, now: number): Verdict<ChangeRequestStatus> {
  const { request } = context;
  const { progress, finding } = stepOf(context, now);
  const findings = [...defectFindings(request.defects), ...(finding ? [finding] : [])];
  const status = { ...judged({ object: request, findings, now }), ...progress };
  return isFinal(progress.phase) || request.defects.length > 0
    ? { status }
    : { status, recheckInMs: MAX_RIGHTS_AGE_MS };
}

function stepOf(context: RequestInContext, now: number): Step {
  const { request, flag } = context;
  const before = progressOf(request);
  // A part that cannot be read was not approved.
  if (request.defects.length > 0) return { progress: { ...before, phase: before.phase ?? 'Pending' } };
  if (isFinal(before.phase)) return { progress: before, finding: findingOf(before, request) };
  const expiresAt = timestampOf(endOfRequest(request));
  const end = (phase: RequestPhase, more: Partial<Progress> = {}, message?: string): Step => {
    const progress = { ...before, ...more, expiresAt, phase };
    return { progress, finding: findingOf(progress, request, message) };
  };
  if (request.spec.cancelled) return end('Cancelled');
  if (now >= endOfRequest(request)) return end('Expired');
  if (!flag) {
    return before.targetUid === undefined
      ? { progress: { ...before, expiresAt, phase: 'Pending' }, finding: flagNotFound(request) }
      : end('Outdated', {}, `the flag ${request.spec.target.name} is gone`);
  }
  return judgeAgainst(context, flag, { before: { ...before, expiresAt }, end, now });
}

interface Judging {
  readonly before: Progress;
  readonly end: (phase: RequestPhase, more?: Partial<Progress>, message?: string) => Step;
  readonly now: number;
}

function judgeAgainst(context: RequestInContext, flag: FeatureFlag, { before, end, now }: Judging): Step {
  const { request } = context;
  const wanted = wantedBy(request);
  const present = decisiveOf(flag.spec, Object.keys(wanted.environments));
  const environments = context.guarded.map(wireNameOf);
  const targeted = { ...before, ...targetOf(before, flag, present), environments };
  const stale = whyOutdated(request, flag, { progress: targeted, present });
  if (isSameDecisive(present, wanted) && stale !== 'other') return end('Applied', targeted);
  if (stale !== undefined) return end('Outdated', targeted, staleText(stale, request, present));
  const mistake = mistakeIn(context, flag, wanted);
  if (mistake) return { progress: { ...targeted, phase: 'Pending' }, finding: mistake };
  const votes = count(context);
  const counted = { ...targeted, ...votes.progress };
  if (votes.rejectedBy !== undefined) return end('Rejected', { ...counted, rejectedBy: votes.rejectedBy });
  const isEnough = votes.progress.approvedBy.length >= votes.progress.required;
  const progress: Progress = { ...counted, phase: isEnough ? 'Approved' : 'Pending' };
  if (!isEnough) return { progress, finding: approvalMissing(context, votes.progress) };
  return { progress: { ...progress, targetGeneration: flag.metadata.generation }, finding: notYet(context, now) };
}

function progressOf({ status }: ChangeRequest): Progress {
  const known = PROGRESS.map((name) => [name, status?.[name]] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known);
}

/** What the change replaces is recorded when the request is first judged. */
function targetOf({ base, targetUid }: Progress, { metadata }: FeatureFlag, present: Decisive) {
  return { base: base ?? digestOfDecisive(present), targetUid: targetUid ?? metadata.uid };
}

type Stale = 'other' | 'changed' | 'unwatched';

interface Compared {
  readonly progress: Progress;
  readonly present: Decisive;
}

/**
 * `unwatched`: the spec has changed more than once since the change was granted, so the grant may have been used and
 * the change taken back.
 */
function whyOutdated(
  { spec, status }: ChangeRequest,
  { metadata }: FeatureFlag,
  { progress, present }: Compared,
): Stale | undefined {
  const { uid, generation } = spec.target;
  if (metadata.uid !== (uid ?? progress.targetUid) || metadata.uid !== progress.targetUid) return 'other';
  if (digestOfDecisive(present) !== progress.base) return 'changed';
  if (status?.base === undefined && generation !== undefined && generation !== metadata.generation) return 'changed';
  const granted = progress.targetGeneration;
  return granted !== undefined && metadata.generation > granted + 1 ? 'unwatched' : undefined;
}

function staleText(stale: Stale, request: ChangeRequest, present: Decisive): string {
  const { name } = request.spec.target;
  if (stale === 'other') return `another flag has the name ${name} now`;
  if (stale === 'unwatched') return `the flag ${name} has changed while no operator watched it`;
  const fields = fieldsThatDiffer(present, wantedBy(request));
  return `the flag ${name} has changed since the request was made; the request would change ${fields.join(', ')}`;
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
  const inOrder = [...decisions].sort(
    (a, b) =>
      compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
      compareText(a.metadata.name, b.metadata.name),
  );
  const counted: Person[] = [];
  for (const { spec } of inOrder) {
    const { approver, decision } = spec;
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

function flagNotFound({ metadata, spec }: ChangeRequest): Finding {
  const message = `there is no FeatureFlag ${spec.target.name} in namespace ${metadata.namespace}: create it without these environments first`;
  return error('FlagNotFound', message, 'target', 'name');
}

/** What only another request can mend. */
function mistakeIn({ guarded }: RequestInContext, flag: FeatureFlag, wanted: Decisive): Finding | undefined {
  if (Buffer.byteLength(JSON.stringify(wanted)) > MAX_WANTED_BYTES) return tooLarge();
  if (guarded.length === 0) {
    return error(
      'NoApprovalNeeded',
      'no environment of the request needs approval: change the flag itself',
      'environments',
    );
  }
  const touched = touchedByFlag({ before: flag.spec, after: withDecisive(flag.spec, wanted) });
  const missing = touched.filter((name) => !Object.hasOwn(wanted.environments, name));
  if (missing.length === 0) return undefined;
  const message = `the request would also change ${missing.join(', ')}: make another that names all environments it changes`;
  return error('EnvironmentsLeftOut', message, 'environments');
}

function tooLarge(): Finding {
  return error(
    'ChangeTooLarge',
    `the values have more than ${MAX_WANTED_BYTES} bytes: ask for a smaller change`,
    'environments',
  );
}

function approvalMissing({ guarded }: RequestInContext, { required, approvedBy }: Votes['progress']): Finding {
  const where = guarded.map(wireNameOf).join(', ');
  const message = `${approvedBy.length} of ${required} approvals: a user who may approve changes in ${where} can approve this one`;
  return error('ApprovalMissing', message, 'environments');
}

function notYet({ request, obstacle }: RequestInContext, now: number): Finding {
  if (!isDue(request, now))
    return error('AppliesLater', `the change is approved, and comes into effect at ${request.spec.applyAt}`, 'applyAt');
  const why = obstacle ?? 'Vexil writes it now';
  return error('OwnerMustApply', `the change is approved: ${why}`, 'environments');
}

const ended: Readonly<Partial<Record<RequestPhase, (progress: Progress) => readonly [ProblemReason, string]>>> = {
  Rejected: ({ rejectedBy }) => ['ChangeRejected', `${rejectedBy ?? 'somebody'} rejected the request`],
  Cancelled: () => ['ChangeCancelled', 'the request was withdrawn'],
  Expired: ({ expiresAt }) => ['ChangeExpired', `the request ended at ${expiresAt}: make another`],
  Outdated: () => ['ChangeOutdated', 'the flag has changed since the request was made: make another'],
};

/** A message that was written once stays. */
function findingOf(progress: Progress, { status }: ChangeRequest, message?: string): Finding | undefined {
  const found = progress.phase && ended[progress.phase]?.(progress);
  if (!found) return undefined;
  const [reason, text] = found;
  const before = status?.problems?.find((one) => one.reason === reason)?.message;
  return error(reason, message ?? before ?? text, 'environments');
}
