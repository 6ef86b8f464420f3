/** The verdict on a decision about a change request: whether it counts. */
import type { ChangeApproval, ChangeApprovalStatus } from '../../schema/change-approval.ts';
import type { ChangeRequest } from '../../schema/change-request.ts';
import { defectFindings, type Finding, judged } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';
import { MAX_RIGHTS_AGE_MS } from './judge-request.ts';
import { maySame, type UsersByName } from './people.ts';
import { isAbout, isFinal } from './request-life.ts';

export interface ApprovalInContext {
  readonly approval: ChangeApproval;
  /** The request of this name and uid. */
  readonly request: ChangeRequest | undefined;
  /** The environments of the request that need approval. */
  readonly guarded: readonly string[];
  /** Whether the approval of the author counts. */
  readonly ownCounts: boolean;
  /** Why the approver may not decide; undefined: the approver may. */
  readonly refusal: string | undefined;
  readonly users: UsersByName;
}

/** `now` in ms since 1970. */
export function judgeApproval(context: ApprovalInContext, now: number): Verdict<ChangeApprovalStatus> {
  const { approval, request } = context;
  const isRead = approval.defects.length === 0;
  const finding = isRead ? findingOf(context) : undefined;
  const findings = [...defectFindings(approval.defects), ...(finding ? [finding] : [])];
  const status = judged({ object: approval, findings, now });
  return request && !isFinal(request.status?.phase) ? { status, recheckInMs: MAX_RIGHTS_AGE_MS } : { status };
}

function findingOf({ approval, request, guarded, ownCounts, refusal, users }: ApprovalInContext): Finding | undefined {
  const { name, uid } = approval.spec.request;
  const failed = (reason: Finding['reason'], field: string, message: string): Finding => {
    return { severity: 'Error', path: [field], reason, message };
  };
  if (!request) {
    const message = `there is no ChangeRequest ${name} with the uid ${uid} here: decide on one that exists`;
    return failed('RequestNotFound', 'request', message);
  }
  if (approval.spec.decision === 'Comment') return undefined;
  if (!isAbout(approval, request, guarded)) {
    const message = `the decision leaves out environments of the request: name ${guarded.join(', ')}`;
    return failed('ApproverNotEntitled', 'environments', message);
  }
  if (refusal !== undefined) return failed('ApproverNotEntitled', 'approver', refusal);
  const isOwn = approval.spec.decision !== 'Reject' && maySame(approval.spec.approver, request.spec.author, users);
  if (!isOwn || ownCounts) return undefined;
  return failed(
    'ApproverNotEntitled',
    'approver',
    'the approver may be the author, whose approval does not count here',
  );
}
