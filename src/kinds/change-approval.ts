/** ChangeApproval: reconciles its status with its request and the rights of the approver. */
import { approvalMapping } from '../audit/derive/change-request.ts';
import { judgeApproval } from '../domain/approval/judge-approval.ts';
import { removalOfDecision } from '../domain/approval/removal.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { keyOf } from '../model/object.ts';
import {
  type ChangeApproval,
  type ChangeApprovalSpec,
  type ChangeApprovalStatus,
  changeApproval,
} from '../schema/change-approval.ts';
import { approvalRights } from './approval-rights.ts';
import type { JudgeParts, KindDefinition } from './definition.ts';
import { findBy, versions } from './subscriptions.ts';

/** A tool would make a decision again that it owns. */
function removalOf({ resources, requests, now }: JudgeParts, approval: ChangeApproval) {
  if (resources.changeApprovals.ownedIn(approval).length > 0) return {};
  return removalOfDecision(approval, { ...requests, recordedUntil: requests.recordedUntil(), now: now() });
}

const indexes = {
  wireName: ({ metadata }: ChangeApproval) => [metadata.name],
  request: ({ metadata: { namespace }, spec }: ChangeApproval) =>
    spec.request === undefined ? [] : [keyOf({ namespace, name: spec.request.name })],
};

export const changeApprovalDefinition: KindDefinition<ChangeApprovalSpec, ChangeApprovalStatus, keyof typeof indexes> =
  {
    kind: changeApproval,
    indexes,
    concurrency: 4,

    triggers({ own, caches: { changeRequests, users, roles, environments }, enqueue }) {
      const all = () => enqueue.later(own.all());
      return [
        own.subscribe((change) => enqueue.now(versions(change))),
        changeRequests.subscribe((change) => {
          enqueue.now(
            findBy(
              own,
              'request',
              versions(change).map(({ metadata }) => keyOf(metadata)),
            ),
          );
        }),
        ...[users, roles, environments].map((cache) => cache.subscribe(all)),
      ];
    },

    judge(parts) {
      const { catalog, now } = parts;
      const refusalOf = approvalRights(parts);
      return async (approval) => {
        const { namespace } = approval.metadata;
        const named = approval.spec.request && catalog.changeRequest({ namespace, name: approval.spec.request.name });
        const request = named?.metadata.uid === approval.spec.request?.uid ? named : undefined;
        const environments = request ? catalog.guardedBy(request) : [];
        const guarded = environments.map(wireNameOf);
        const ownCounts = environments.every(({ spec }) => spec.approvals?.selfApproval === true);
        const isDecision = approval.spec.decision !== 'Comment';
        const refusal = request && isDecision ? await refusalOf(approval, request) : undefined;
        const context = { approval, request, guarded, ownCounts, refusal, users: catalog };
        const verdict = judgeApproval(context, now());
        return request ? verdict : { ...verdict, ...removalOf(parts, approval) };
      };
    },

    auditMapping: approvalMapping,
  };
