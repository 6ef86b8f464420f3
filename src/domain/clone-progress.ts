/** How far the clone of an environment is, as its status tells it. */
import type { CloneStatus } from '../schema/environment.ts';
import type { News } from '../schema/event.ts';
import type { ClonePlan, CloneRequest } from './clone-environment.ts';
import { defectIn, placeOfDefect } from './edit-place.ts';
import { cut, type Finding, timestampOf } from './findings.ts';
import { wireNameOf } from './names.ts';

export interface CloneReport {
  readonly status: CloneStatus | undefined;
  readonly findings: readonly Finding[];
  readonly recheckInMs?: number;
}

/** What was refused is tried again after this, in case it was mended. */
const REFUSED_AGAIN_MS = 10_000;

const LONGEST_MESSAGE = 1024;

/** Done or failed, for good. */
export function isOver(status: CloneStatus | undefined): boolean {
  return status?.phase === 'Done' || status?.phase === 'Failed';
}

/** Nothing is under way: it is over, or it may not begin. */
export function atRest(status: CloneStatus | undefined): CloneReport {
  const failure = status?.phase === 'Failed' ? [failed(status.message ?? '')] : [];
  return { status, findings: failure };
}

/** Once flags were written, it goes on where it was as soon as it can. */
export function waiting(before: CloneStatus | undefined, obstacles: readonly Finding[]): CloneReport {
  return { status: before?.phase === 'Copying' ? before : { phase: 'Waiting' }, findings: obstacles };
}

export interface Stage {
  readonly request: CloneRequest;
  readonly plan: ClonePlan;
  readonly before: CloneStatus | undefined;
  /** Ms since 1970. */
  readonly now: number;
}

export function underWay(phase: 'Validating' | 'Copying', stage: Stage): CloneReport {
  const message = `it is being made a copy of "${stage.request.from}": status.clone tells how far`;
  const finding: Finding = { severity: 'Error', path: ['clone'], reason: 'CloneInProgress', message };
  return { status: statusOf(phase, stage), findings: [finding], recheckInMs: 0 };
}

/** Some of it is refused, the rest is done: an edit of what is refused may help. */
export function partlyRefused(stage: Stage, refusals: readonly string[]): CloneReport {
  const message = inWords(refusals);
  return { status: statusOf('Copying', stage), findings: [failed(message)], recheckInMs: REFUSED_AGAIN_MS };
}

/** One flag that cannot be copied does not keep a clone from being done: the status names it. */
export function ended(phase: 'Done' | 'Failed', stage: Stage, refusals: readonly string[] = []): CloneReport {
  const finishedAt = timestampOf(stage.now);
  const reasons = phase === 'Failed' ? refusals : [...refusals, ...leftOut(stage)];
  const message = reasons.length > 0 ? { message: inWords(reasons) } : {};
  return atRest({ ...statusOf(phase, stage), ...message, finishedAt });
}

/** What people are told once, when it is over. */
export function newsOf({ from }: CloneRequest, { status }: CloneReport): News | undefined {
  if (status?.phase === 'Failed')
    return { reason: 'CloneFailed', note: `Not cloned from "${from}": ${status.message}` };
  if (status?.phase !== 'Done') return undefined;
  const seconds = (Date.parse(status.finishedAt ?? '') - Date.parse(status.startedAt ?? '')) / 1000;
  const missing = status.message === undefined ? '' : `; not copied: ${status.message}`;
  const note = `Cloned from "${from}": ${status.copied} flags in ${seconds} s${missing}`;
  return { reason: 'EnvironmentCloned', note };
}

function leftOut({ plan, request }: Stage): readonly string[] {
  return plan.unreadable.flatMap((flag) => {
    const defect = defectIn(flag, request.from);
    return defect ? `flag "${wireNameOf(flag)}": ${placeOfDefect(defect)}: ${defect.message}` : [];
  });
}

function statusOf(phase: CloneStatus['phase'], { plan, before, now }: Stage): CloneStatus {
  const startedAt = before?.startedAt ?? timestampOf(now);
  return { phase, flags: plan.flags, copied: copiedOf(plan), startedAt };
}

/** How many flags say something about the new environment. */
export function copiedOf({ flags, left, unreadable }: ClonePlan): number {
  return flags - left.length - unreadable.length;
}

function failed(message: string): Finding {
  return { severity: 'Error', path: ['clone'], reason: 'CloneFailed', message };
}

function inWords(refusals: readonly string[]): string {
  const [first = '', ...others] = refusals.toSorted();
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return `${cut(first, LONGEST_MESSAGE - more.length)}${more}`;
}
