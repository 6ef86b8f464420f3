/** The verdict on a decision about a change request: whether it counts. */
import type { ChangeApproval, ChangeApprovalStatus } from '../../schema/change-approval.ts';
import type { ChangeRequest } from '../../schema/change-request.ts';
import { defectFindings, type Finding, judged } from '../judgement/findings.ts';
import type { Verdict } from '../judgement/verdict.ts';
import { type KnownUsers, maySame } from './people.ts';
import { MAX_RIGHTS_AGE_MS } from './judge-request.ts';
import { isAbout, isFinal } from './request-values.ts';

export interface ApprovalInContext {
  readonly approval: ChangeApproval;
  /** The request of this name and uid. */
  readonly request: ChangeRequest | undefined;
  /** The environments of the request that need approval. */
  readonly guarded: readonly string[];
  /** Why the approver may not decide; undefined: the approver may. */
  readonly refusal: string | undefined;
  readonly users: KnownUsers;
}

/** `now` in ms since 1970. */
export function judgeApproval({ approval, request, guarded, refusal, users }: ApprovalInContext, now: number): Verdict<ChangeApprovalStatus> {
  const findings = [...defectFindings(approval.defects), ...(approval.defects.length > 0 ? [] : findingsOf())];
  const status = judged({ object: approval, findings, now });
  return request && !isFinal(request.status?.phase) ? { status, recheckInMs: MAX_RIGHTS_AGE_MS } : { status };

  function findingsOf(): readonly Finding[] {
    const { name, uid } = approval.spec.request;
    if (!request) {
      const message = `there is no ChangeRequest ${name} with the uid ${uid} here: decide on one that exists`;
      return [{ severity: 'Error', path: ['request'], reason: 'RequestNotFound', message }];
    }
    if (!isAbout(approval, request, guarded)) {
      const message = `the decision leaves out environments of the request: name ${guarded.join(', ')}`;
      return [{ severity: 'Error', path: ['environments'], reason: 'ApproverNotEntitled', message }];
    }
    const own = approval.spec.decision !== 'Reject' && maySame(approval.spec.approver, request.spec.author, users);
    const why = refusal ?? (own ? 'the approver may be the author, whose approval counts only with selfApproval' : undefined);
    return why === undefined ? [] : [{ severity: own && refusal === undefined ? 'Warning' : 'Error', path: ['approver'], reason: 'ApproverNotEntitled', message: why }];
  }
}
