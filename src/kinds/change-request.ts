/**
 * ChangeRequest: counts the approvals, and makes the change once it is granted, unless somebody else owns the fields.
 */

import { requestMapping } from '../audit/derive/change-request.ts';
import { changedInSubstance } from '../catalog/cached.ts';
import { withDecisive } from '../domain/approval/decisive.ts';
import { judgeRequest } from '../domain/approval/judge-request.ts';
import { isFinal, targetRefOf, wantedBy } from '../domain/approval/request-values.ts';
import { refusedByFreeze } from '../domain/flag/edit/change-in-freeze.ts';
import type { SpecWrite } from '../domain/flag/edit/environments-touched.ts';
import { segmentNamesOf } from '../domain/flag/segments-of-flag.ts';
import { freezeAt } from '../domain/freeze/freeze-in-force.ts';
import { changeStamp } from '../domain/identity/author.ts';
import { takesOver } from '../domain/project/takes-over.ts';
import { isClusterError, isRefusal } from '../errors.ts';
import { refuseOwned } from '../kube/write/owned-fields.ts';
import { timestampOf } from '../model/clock.ts';
import { keyOf } from '../model/object.ts';
import {
  type ChangeRequest,
  type ChangeRequestSpec,
  type ChangeRequestStatus,
  changeRequest,
} from '../schema/change-request.ts';
import type { FeatureFlag, FlagSpec } from '../schema/feature-flag.ts';
import { approvalRights } from './approval-rights.ts';
import type { JudgeParts, KindDefinition } from './definition.ts';
import { findBy, versions } from './subscriptions.ts';

const indexes = {
  wireName: ({ metadata }: ChangeRequest) => [metadata.name],
  target: (request: ChangeRequest) => [keyOf(targetRefOf(request))],
  /** The segments that its change would use. */
  segment: (request: ChangeRequest) => (isFinal(request.status?.phase) ? [] : [...segmentNamesOf(request)]),
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
      const context = {
        request,
        flag: catalog.targetOf(request),
        guarded: catalog.guardedBy(request),
        decisions: decisions.flat(),
        users: catalog,
      };
      const verdict = judgeRequest({ ...context, obstacle: undefined }, now());
      const obstacle = verdict.status.phase === 'Approved' ? await apply(parts, request) : undefined;
      return obstacle === undefined ? verdict : judgeRequest({ ...context, obstacle }, now());
    };
  },

  auditMapping: requestMapping,
};

/** Writes the change if the flag has its grant. Returns what prevents it; undefined: nothing does. */
async function apply(parts: JudgeParts, request: ChangeRequest): Promise<string | undefined> {
  const { catalog, resources } = parts;
  const flag = catalog.targetOf(request);
  const isGranted = ({ metadata, status }: FeatureFlag) =>
    metadata.uid === flag?.metadata.uid &&
    status?.grants?.some(({ uid, generation }) => uid === request.metadata.uid && generation === metadata.generation);
  if (!flag || !isGranted(flag)) return undefined;
  const after = withDecisive(flag.spec, wantedBy(request));
  const frozen = frozenFor(parts, { before: flag.spec, after });
  if (frozen !== undefined) return frozen;
  const { author, reason } = request.spec;
  const edit = (one: FeatureFlag) => (isGranted(one) ? withDecisive(one.spec, wantedBy(request)) : one.spec);
  try {
    await resources.flags.change(flag.metadata, edit, {
      stamp: ({ metadata }) => changeStamp({ name: author.name, via: 'change-request', reason }, metadata),
      take(one, owned) {
        if (!takesOver(catalog.flagContextOf(one).project)) throw refuseOwned(one, owned, { remediation: [] });
      },
    });
  } catch (error) {
    return obstacleOf(error);
  }
  return undefined;
}

/** Approval does not lift a freeze. */
function frozenFor({ catalog, now }: JudgeParts, write: SpecWrite<FlagSpec>): string | undefined {
  for (const name of refusedByFreeze(write)) {
    const environment = catalog.environment(name);
    const frozen = environment && freezeAt(environment.spec, now());
    if (frozen) return `the environment ${name} is frozen until ${timestampOf(frozen.until)}`;
  }
  return undefined;
}

/** Throws errors that may be temporary. */
function obstacleOf(error: unknown): string {
  if (isRefusal(error, 'field-managed'))
    return 'the tool that owns the fields has to write it, for example by a commit';
  if (!isClusterError(error, 'invalid', 'too-large', 'forbidden')) throw error;
  return `the API server rejects it: ${error.message}`;
}
