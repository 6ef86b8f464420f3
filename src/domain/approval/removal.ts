/** When change requests that have ended, and the decisions on them, are removed. */
import { timestampOf } from '../../model/clock.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import type { ChangeRequest } from '../../schema/change-request.ts';
import type { Verdict } from '../judgement/verdict.ts';
import { isFinal } from './request-life.ts';

export interface Retention {
  /** How long a request is kept after its end; undefined: forever. */
  readonly retentionMs: number | undefined;
  /** The history has all changes up to this time, in ms since 1970; undefined: it does not follow all kinds now. */
  readonly recordedUntil: number | undefined;
  /** Ms since 1970. */
  readonly now: number;
}

type Removal = Pick<Verdict<unknown>, 'removal' | 'recheckInMs'>;

/** The history is behind for a moment, or the archive is unavailable. */
const UNTIL_RECORDED_MS = 60_000;

/** `decisions`: all on the request, comments too. Its status is the present one. */
export function removalOfRequest(
  { status, defects }: Pick<ChangeRequest, 'status' | 'defects'>,
  decisions: readonly ChangeApproval[],
  retention: Retention,
): Removal {
  if (defects.length > 0 || !isFinal(status?.phase) || status?.endedAt === undefined) return {};
  const last = Math.max(Date.parse(status.endedAt), ...decisions.map(createdAt));
  return removalAfter(last, `it is ${status.phase}, and nothing has changed since ${timestampOf(last)}`, retention);
}

/** For a decision on a request that is gone: as long as it would have kept the request. */
export function removalOfDecision(decision: ChangeApproval, retention: Retention): Removal {
  if (decision.defects.length > 0) return {};
  return removalAfter(createdAt(decision), 'the change request is gone', retention);
}

function removalAfter(last: number, removal: string, { retentionMs, recordedUntil, now }: Retention): Removal {
  if (retentionMs === undefined) return {};
  const leftMs = last + retentionMs - now;
  if (leftMs > 0) return { recheckInMs: leftMs };
  return recordedUntil !== undefined && recordedUntil > last ? { removal } : { recheckInMs: UNTIL_RECORDED_MS };
}

function createdAt({ metadata }: ChangeApproval): number {
  return Date.parse(metadata.creationTimestamp);
}
