/**
 * ChangeRequest: counts the approvals, and makes the change once it is granted, unless somebody else owns the fields.
 */

import { requestMapping } from '../audit/derive/change-request.ts';
import { changedInSubstance } from '../catalog/cached.ts';
import { judgeRequest } from '../domain/approval/judge-request.ts';
import { isFinal } from '../domain/approval/request-life.ts';
import {
  flagAfter,
  segmentAfter,
  type Target,
  type TargetKind,
  targetKey,
  targetKeyOf,
} from '../domain/approval/target.ts';
import { refusedByFreeze } from '../domain/flag/edit/change-in-freeze.ts';
import { segmentNamesOf } from '../domain/flag/segments-of-flag.ts';
import { freezeAt } from '../domain/freeze/freeze-in-force.ts';
import { changeStamp } from '../domain/identity/author.ts';
import { takesOver } from '../domain/project/takes-over.ts';
import { isClusterError, isRefusal } from '../errors.ts';
import { refuseOwned } from '../kube/write/owned-fields.ts';
import { timestampOf } from '../model/clock.ts';
import type { AnyObject } from '../model/object.ts';
import type { FlagGrant } from '../schema/approvals.ts';
import {
  type ChangeRequest,
  type ChangeRequestSpec,
  type ChangeRequestStatus,
  changeRequest,
} from '../schema/change-request.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Segment } from '../schema/segment.ts';
import { approvalRights } from './approval-rights.ts';
import type { JudgeParts, KindDefinition } from './definition.ts';
import { findBy, versions } from './subscriptions.ts';

const indexes = {
  wireName: ({ metadata }: ChangeRequest) => [metadata.name],
  target: (request: ChangeRequest) => [targetKeyOf(request)],
  /** The segments that its change would use. */
  segment: (request: ChangeRequest) => (isFinal(request.status?.phase) ? [] : [...segmentNamesOf(request)]),
};

export const changeRequestDefinition: KindDefinition<ChangeRequestSpec, ChangeRequestStatus, keyof typeof indexes> = {
  kind: changeRequest,
  indexes,
  concurrency: 4,

  triggers({ own, caches: { flags, segments, changeApprovals, environments, users, roles }, enqueue }) {
    const about = (kind: TargetKind, objects: readonly AnyObject[]) =>
      findBy(
        own,
        'target',
        objects.map(({ metadata }) => targetKey(kind, metadata)),
      );
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
        enqueue.now(about('FeatureFlag', versions(change)));
      }),
      segments.subscribe((change) => enqueue.now(about('Segment', versions(change)))),
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
        target: catalog.targetOf(request),
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

/** Writes the change if the target has its grant. Returns what prevents it; undefined: nothing does. */
async function apply(parts: JudgeParts, request: ChangeRequest): Promise<string | undefined> {
  const target = parts.catalog.targetOf(request);
  if (!target || !isGranted(target.object, request)) return undefined;
  const frozen = frozenFor(parts, environmentsChanged(parts, target, request));
  if (frozen !== undefined) return frozen;
  try {
    await write(parts, target, request);
  } catch (error) {
    return obstacleOf(error);
  }
  return undefined;
}

type Grantable = Pick<FeatureFlag | Segment, 'metadata' | 'status'>;

function isGranted({ metadata, status }: Grantable, request: ChangeRequest): boolean {
  const grants: readonly Pick<FlagGrant, 'uid' | 'generation'>[] = status?.grants ?? [];
  return grants.some(({ uid, generation }) => uid === request.metadata.uid && generation === metadata.generation);
}

async function write({ catalog, resources }: JudgeParts, target: Target, request: ChangeRequest): Promise<void> {
  const { author, reason } = request.spec;
  const stamp = ({ metadata }: Pick<FeatureFlag, 'metadata'>) =>
    changeStamp({ name: author.name, via: 'change-request', reason }, metadata);
  const isMeant = (one: FeatureFlag | Segment) =>
    one.metadata.uid === target.object.metadata.uid && isGranted(one, request);
  if (target.kind === 'FeatureFlag') {
    const edit = (one: FeatureFlag) => (isMeant(one) ? flagAfter(one.spec, request) : one.spec);
    await resources.flags.change(target.object.metadata, edit, {
      stamp,
      take(one, owned) {
        if (!takesOver(catalog.flagContextOf(one).project)) throw refuseOwned(one, owned, { remediation: [] });
      },
    });
  } else {
    const edit = (one: Segment) => (isMeant(one) ? segmentAfter(one.spec, request) : one.spec);
    await resources.segments.change(target.object.metadata, edit, { stamp });
  }
}

/** Where a freeze refuses the change. */
function environmentsChanged({ catalog }: JudgeParts, target: Target, request: ChangeRequest): readonly string[] {
  return target.kind === 'FeatureFlag'
    ? refusedByFreeze({ before: target.object.spec, after: flagAfter(target.object.spec, request) })
    : catalog.environmentsOfRequest(request);
}

/** Approval does not lift a freeze. */
function frozenFor({ catalog, now }: JudgeParts, names: readonly string[]): string | undefined {
  for (const name of names) {
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
