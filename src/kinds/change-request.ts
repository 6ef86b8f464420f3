/**
 * ChangeRequest: counts the approvals, and makes the change once it is granted, unless somebody else owns the fields.
 */

import { requestMapping } from '../audit/derive/change-request.ts';
import { type CacheChange, changedInSubstance } from '../catalog/cached.ts';
import { judgeRequest } from '../domain/approval/judge-request.ts';
import { removalOfRequest } from '../domain/approval/removal.ts';
import { isFinal } from '../domain/approval/request-life.ts';
import {
  environmentAfter,
  flagAfter,
  projectAfter,
  segmentAfter,
  type Target,
  type TargetKind,
  targetKey,
  targetKeyOf,
} from '../domain/approval/target.ts';
import { switchesEnvironment, usesThatChange } from '../domain/environment/touched-by-others.ts';
import { refusedByFreeze } from '../domain/flag/edit/change-in-freeze.ts';
import { segmentNamesOf } from '../domain/flag/segments-of-flag.ts';
import { freezeAt } from '../domain/freeze/freeze-in-force.ts';
import { changeStamp } from '../domain/identity/author.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { takesOver } from '../domain/project/takes-over.ts';
import { isClusterError, isRefusal } from '../errors.ts';
import { refuseOwned } from '../kube/write/owned-fields.ts';
import { timestampOf } from '../model/clock.ts';
import type { AnyObject, CustomObject } from '../model/object.ts';
import type { FlagGrant } from '../schema/approvals.ts';
import {
  type ChangeRequest,
  type ChangeRequestSpec,
  type ChangeRequestStatus,
  changeRequest,
} from '../schema/change-request.ts';
import { approvalRights } from './approval-rights.ts';
import type { JudgeParts, KindDefinition, TermResource } from './definition.ts';
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

  triggers({ own, caches: { flags, segments, projects, changeApprovals, environments, users, roles }, enqueue }) {
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
        if (changedOrGranted(change)) enqueue.now(about('FeatureFlag', versions(change)));
      }),
      segments.subscribe((change) => enqueue.now(about('Segment', versions(change)))),
      projects.subscribe((change) => {
        if (changedOrGranted(change)) enqueue.now(about('Project', versions(change)));
      }),
      environments.subscribe((change) => {
        const requests = changedOrGranted(change) ? about('Environment', versions(change)) : [];
        enqueue.now(changedInSubstance(change) ? [...open(), ...requests] : requests);
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
      if (isFinal(verdict.status.phase)) return { ...verdict, ...removalOf(parts, request) };
      const obstacle = verdict.status.phase === 'Approved' ? await apply(parts, request) : undefined;
      return obstacle === undefined ? verdict : judgeRequest({ ...context, obstacle }, now());
    };
  },

  auditMapping: requestMapping,
};

/** A tool would make a request again that it owns. */
function removalOf({ catalog, resources, requests, now }: JudgeParts, request: ChangeRequest) {
  if (resources.changeRequests.ownedIn(request).length > 0) return {};
  const retention = { ...requests, recordedUntil: requests.recordedUntil(), now: now() };
  return removalOfRequest(request, catalog.allDecisionsOn(request), retention);
}

interface WithGrants {
  readonly status?: { readonly grants?: readonly unknown[] | undefined } | undefined;
}

/** Statuses change often, and only their grants matter. */
function changedOrGranted<T extends AnyObject & WithGrants>(change: CacheChange<T>): boolean {
  return changedInSubstance(change) || change.before?.status?.grants !== change.after?.status?.grants;
}

/** Writes the change if the target has its grant. Returns what prevents it; undefined: nothing does. */
async function apply(parts: JudgeParts, request: ChangeRequest): Promise<string | undefined> {
  const target = parts.catalog.targetOf(request);
  if (!target || !isGranted(target.object, request)) return undefined;
  const frozen = frozenFor(parts, environmentsFrozenFor(parts, target, request));
  if (frozen !== undefined) return frozen;
  try {
    await write(parts, target, request);
  } catch (error) {
    return obstacleOf(error);
  }
  return undefined;
}

type Grantable = Pick<Target['object'], 'metadata' | 'status'>;

function isGranted({ metadata, status }: Grantable, request: ChangeRequest): boolean {
  const grants: readonly Pick<FlagGrant, 'uid' | 'generation'>[] = status?.grants ?? [];
  return grants.some(({ uid, generation }) => uid === request.metadata.uid && generation === metadata.generation);
}

async function write({ catalog, resources }: JudgeParts, target: Target, request: ChangeRequest): Promise<void> {
  switch (target.kind) {
    case 'FeatureFlag':
      return writeTo(resources.flags, flagAfter, {
        ...{ target, request },
        isTakingOver: (flag) => takesOver(catalog.flagContextOf(flag).project),
      });
    case 'Segment':
      return writeTo(resources.segments, segmentAfter, { target, request, isTakingOver: () => false });
    case 'Project':
      return writeTo(resources.projects, projectAfter, { target, request, isTakingOver: takesOver });
    case 'Environment':
      return writeTo(resources.environments, environmentAfter, { target, request, isTakingOver: () => false });
  }
}

interface Writing<S, T> {
  readonly target: Target;
  readonly request: ChangeRequest;
  /** Whether Vexil takes fields of the object from their owners. */
  readonly isTakingOver: (object: CustomObject<S, T>) => boolean;
}

async function writeTo<S, T extends object>(
  resource: TermResource<S, T>,
  after: (spec: S, request: ChangeRequest) => S,
  { target, request, isTakingOver }: Writing<S, T>,
): Promise<void> {
  const { author, reason } = request.spec;
  const { uid } = target.object.metadata;
  const isMeant = (one: CustomObject<S, T>) => one.metadata.uid === uid && isGranted(one as Grantable, request);
  await resource.change(target.object.metadata, (one) => (isMeant(one) ? after(one.spec, request) : one.spec), {
    stamp: ({ metadata }) => changeStamp({ name: author.name, via: 'change-request', reason }, metadata),
    take(one, owned) {
      if (!isTakingOver(one)) throw refuseOwned(one, owned);
    },
  });
}

/** Where a freeze refuses the change. */
function environmentsFrozenFor({ catalog }: JudgeParts, target: Target, request: ChangeRequest): readonly string[] {
  switch (target.kind) {
    case 'FeatureFlag': {
      const { spec } = target.object;
      return refusedByFreeze({ before: spec, after: flagAfter(spec, request) });
    }
    case 'Segment':
      return catalog.environmentsOfRequest(request);
    case 'Project': {
      const { spec } = target.object;
      return usesThatChange(
        { before: spec, after: projectAfter(spec, request) },
        catalog.environments().map(wireNameOf),
      );
    }
    case 'Environment': {
      const { spec } = target.object;
      const isSwitched = switchesEnvironment({ before: spec, after: environmentAfter(spec, request) });
      return isSwitched ? [wireNameOf(target.object)] : [];
    }
  }
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
