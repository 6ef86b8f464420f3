/** ChangeRequest: counts the approvals, and makes the change once it is granted, unless somebody else owns the fields. */

import { requestMapping } from '../audit/derive/change-request.ts';
import { changedInSubstance } from '../catalog/cached.ts';
import { withDecisive } from '../domain/approval/decisive.ts';
import { judgeRequest } from '../domain/approval/judge-request.ts';
import { isFinal, targetRefOf, wantedBy } from '../domain/approval/request-values.ts';
import { changeStamp } from '../domain/identity/author.ts';
import { takesOver } from '../domain/project/takes-over.ts';
import { isClusterError, isRefusal } from '../errors.ts';
import { refuseOwned } from '../kube/write/owned-fields.ts';
import { keyOf } from '../model/object.ts';
import {
  type ChangeRequest,
  type ChangeRequestSpec,
  type ChangeRequestStatus,
  changeRequest,
} from '../schema/change-request.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { approvalRights } from './approval-rights.ts';
import type { JudgeParts, KindDefinition } from './definition.ts';
import { findBy, versions } from './subscriptions.ts';

const indexes = {
  wireName: ({ metadata }: ChangeRequest) => [metadata.name],
  target: (request: ChangeRequest) => [keyOf(targetRefOf(request))],
};

export const changeRequestDefinition: KindDefinition<ChangeRequestSpec, ChangeRequestStatus, keyof typeof indexes> = {
  kind: changeRequest,
  indexes,
  concurrency: 4,

  triggers({ own, caches: { flags, changeApprovals, environments, users, roles }, enqueue }) {
    const open = () => [...own.all()].filter(({ status }) => !isFinal(status?.phase));
    return [
      own.subscribe((change) => enqueue.now(versions(change))),
      changeApprovals.subscribe((change) => {
        const requests = versions(change).flatMap(({ metadata: { namespace }, spec }) =>
          spec.request === undefined ? [] : (own.get({ namespace, name: spec.request.name }) ?? []),
        );
        enqueue.now(requests);
      }),
      flags.subscribe((change) => {
        if (!changedInSubstance(change) && change.before?.status?.grants === change.after?.status?.grants) return;
        enqueue.now(
          findBy(
            own,
            'target',
            versions(change).map(({ metadata }) => keyOf(metadata)),
          ),
        );
      }),
      environments.subscribe((change) => {
        if (changedInSubstance(change)) enqueue.now(open());
      }),
      ...[users, roles].map((cache) => cache.subscribe(() => enqueue.later(open()))),
    ];
  },

  judge(parts) {
    const { catalog, now } = parts;
    const refusalOf = approvalRights(parts);
    return async (request) => {
      const decisions = await Promise.all(
        (isFinal(request.status?.phase) ? [] : catalog.decisionsOn(request)).map(async (one) =>
          (await refusalOf(one, request)) === undefined ? [one] : [],
        ),
      );
      const flag = catalog.targetOf(request);
      const owner = flag && (await apply(parts, request, flag));
      const guarded = catalog.guardedBy(request);
      return judgeRequest({ request, flag, guarded, decisions: decisions.flat(), users: catalog, owner }, now());
    };
  },

  auditMapping: requestMapping,
};

/**
 * Writes the change if the flag has its grant. Returns who has to write it instead, if another manager owns the fields.
 */
async function apply(
  { catalog, resources }: JudgeParts,
  request: ChangeRequest,
  flag: FeatureFlag,
): Promise<string | undefined> {
  const isGranted = (one: FeatureFlag) =>
    one.status?.grants?.some(
      ({ uid, generation }) => uid === request.metadata.uid && generation === one.metadata.generation,
    );
  if (!isGranted(flag)) return undefined;
  const { author, reason } = request.spec;
  try {
    await resources.flags.change(
      flag.metadata,
      (one) =>
        isGranted(one) && one.metadata.uid === flag.metadata.uid ? withDecisive(one.spec, wantedBy(request)) : one.spec,
      {
        stamp: ({ metadata }) => changeStamp({ name: author.name, via: 'change-request', reason }, metadata),
        take(one, owned) {
          if (!takesOver(catalog.flagContextOf(one).project)) throw refuseOwned(one, owned, { remediation: [] });
        },
      },
    );
  } catch (error) {
    if (isRefusal(error, 'field-managed'))
      return 'the tool that owns the fields has to write it, for example by a commit';
    if (!isClusterError(error, 'invalid', 'too-large', 'forbidden')) throw error;
    return `the API server rejects it: ${error.message}`;
  }
  return undefined;
}
