/** The progress of a clone of an environment, as its status reports it. */

import { timestampOf } from '../../model/clock.ts';
import { cut } from '../../model/text.ts';
import type { CloneStatus } from '../../schema/environment.ts';
import type { EventContent } from '../../schema/event.ts';
import { defectIn } from '../flag/edit/edit-place.ts';
import { wireNameOf } from '../identity/names.ts';
import { placeOfDefect } from '../judgement/defects.ts';
import type { Finding } from '../judgement/findings.ts';
import type { ClonePlan, CloneRequest } from './clone-environment.ts';

export interface CloneReport {
  readonly status: CloneStatus | undefined;
  readonly findings: readonly Finding[];
  readonly recheckInMs?: number;
}

/** The delay before refused writes are tried again. */
const REFUSED_AGAIN_MS = 10_000;

const MAX_MESSAGE_LENGTH = 1024;

/** Done or failed; both are final. */
export function isOver(status: CloneStatus | undefined): boolean {
  return status?.phase === 'Done' || status?.phase === 'Failed';
}

/** No copying is in progress: the clone is over, or must not begin. */
export function atRest(status: CloneStatus | undefined): CloneReport {
  const failure = status?.phase === 'Failed' ? [failed(status.message ?? '')] : [];
  return { status, findings: failure };
}

/** A clone that has begun to copy keeps its status and continues when the obstacles are gone. */
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
  const message = `it is being made a copy of "${stage.request.from}": status.clone shows the progress`;
  const finding: Finding = { severity: 'Error', path: ['clone'], reason: 'CloneInProgress', message };
  return { status: statusOf(phase, stage), findings: [finding], recheckInMs: 0 };
}

/** Some writes were refused, the others are done. An edit of the refused objects may help. */
export function partlyRefused(stage: Stage, refusals: readonly string[]): CloneReport {
  const message = summarize(refusals);
  return { status: statusOf('Copying', stage), findings: [failed(message)], recheckInMs: REFUSED_AGAIN_MS };
}

/** A clone is done even if a flag cannot be copied; the status names that flag. */
export function ended(phase: 'Done' | 'Failed', stage: Stage, refusals: readonly string[] = []): CloneReport {
  const finishedAt = timestampOf(stage.now);
  const reasons = phase === 'Failed' ? refusals : [...refusals, ...leftOut(stage)];
  const message = reasons.length > 0 ? { message: summarize(reasons) } : {};
  return atRest({ ...statusOf(phase, stage), ...message, finishedAt });
}

/** The Event about a clone that is over. */
export function cloneEvent({ from }: CloneRequest, { status }: CloneReport): EventContent | undefined {
  if (status?.phase === 'Failed')
    return { type: 'Warning', reason: 'CloneFailed', note: `Not cloned from "${from}": ${status.message}` };
  if (status?.phase !== 'Done') return undefined;
  const seconds = (Date.parse(status.finishedAt ?? '') - Date.parse(status.startedAt ?? '')) / 1000;
  const missing = status.message === undefined ? '' : `; not copied: ${status.message}`;
  const note = `Cloned from "${from}": ${status.copied} flags in ${seconds} s${missing}`;
  return { type: 'Normal', reason: 'EnvironmentCloned', note };
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

/** How many flags have configuration for the new environment. */
export function copiedOf({ flags, left, unreadable }: ClonePlan): number {
  return flags - left.length - unreadable.length;
}

function failed(message: string): Finding {
  return { severity: 'Error', path: ['clone'], reason: 'CloneFailed', message };
}

function summarize(refusals: readonly string[]): string {
  const [first = '', ...others] = refusals.toSorted();
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return `${cut(first, MAX_MESSAGE_LENGTH - more.length)}${more}`;
}
