/** Change requests by what they would change, and the decisions on them. */
import { isAbout, isFinal } from '../domain/approval/request-life.ts';
import {
  environmentAfter,
  environmentsNamed,
  projectAfter,
  type Target,
  type TargetKind,
  targetKey,
  targetRefOf,
} from '../domain/approval/target.ts';
import { guardedByProject, needsApprovalThere } from '../domain/environment/touched-by-others.ts';
import { compareText, wireNameOf } from '../domain/identity/names.ts';
import { keyOf, type Ref } from '../model/object.ts';
import type { ChangeApproval } from '../schema/change-approval.ts';
import type { ChangeRequest } from '../schema/change-request.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import type { Segment } from '../schema/segment.ts';
import type { Cached } from './cached.ts';

export interface ChangeRequestCaches {
  readonly changeRequests: Cached<ChangeRequest, 'target' | 'segment'>;
  readonly changeApprovals: Cached<ChangeApproval, 'request'>;
}

export interface ChangeRequestLookups {
  /** The requests to change the object of this kind and name, in any phase; the same list until one of them changes. */
  requestsFor(kind: TargetKind, ref: Ref): readonly ChangeRequest[];
  /** All requests. */
  changeRequests(): Iterable<ChangeRequest>;
  /** The request with this object name, in any phase. */
  changeRequest(ref: Ref): ChangeRequest | undefined;
  /** What the request would change. */
  targetOf(request: ChangeRequest): Target | undefined;
  /** The environments that the request is about: those that it names or changes, or where its segment is used. */
  environmentsOfRequest(request: ChangeRequest): readonly string[];
  /** Those of them in which changes need approval. */
  guardedBy(request: ChangeRequest): readonly Environment[];
  /** The decisions on the request and all its guarded environments; the oldest first. */
  decisionsOn(request: ChangeRequest): readonly ChangeApproval[];
  /** Those that do not count, too; the oldest first. */
  allDecisionsOn(request: ChangeRequest): readonly ChangeApproval[];
}

interface ChangeRequestParts extends ChangeRequestCaches {
  readonly flags: Pick<Cached<FeatureFlag>, 'get'>;
  readonly segments: Pick<Cached<Segment>, 'get'>;
  readonly projects: Pick<Cached<Project>, 'get'>;
  readonly environments: Pick<Cached<Environment>, 'get'>;
  readonly environmentsOfSegment: (segment: Segment) => readonly string[];
  readonly environment: (name: string) => Environment | undefined;
  /** The names of all environments. */
  readonly everyName: () => readonly string[];
}

export function createChangeRequests(known: ChangeRequestParts): ChangeRequestLookups {
  const { changeRequests, changeApprovals, flags, segments, projects, environments } = known;
  const { environmentsOfSegment, environment, everyName } = known;
  const objects = { FeatureFlag: flags, Segment: segments, Project: projects, Environment: environments };

  function targetOf(request: ChangeRequest): Target | undefined {
    const kind = request.spec.target?.kind ?? 'FeatureFlag';
    const object = objects[kind].get(targetRefOf(request));
    return object && ({ kind, object } as Target);
  }

  function environmentsOfRequest(request: ChangeRequest): readonly string[] {
    const kind = request.spec.target?.kind ?? 'FeatureFlag';
    const target = targetOf(request);
    if (kind === 'FeatureFlag') return environmentsNamed(request.spec);
    if (target?.kind === 'Segment') return environmentsOfSegment(target.object);
    // Once the change is made, it is about nothing.
    if (!target || isFinal(request.status?.phase)) return request.status?.environments ?? [];
    return environmentsChanged(target, request);
  }

  function environmentsChanged(target: Target, request: ChangeRequest): readonly string[] {
    if (target.kind === 'Project') {
      const { spec } = target.object;
      return guardedByProject({ before: spec, after: projectAfter(spec, request) }, everyName());
    }
    if (target.kind !== 'Environment') return [];
    const { spec } = target.object;
    const isTouched = needsApprovalThere({ before: spec, after: environmentAfter(spec, request) });
    return isTouched ? [wireNameOf(target.object)] : [];
  }

  const guardedBy = (request: ChangeRequest) =>
    environmentsOfRequest(request).flatMap((name) => {
      const found = environment(name);
      return found?.spec.approvals ? [found] : [];
    });

  const allDecisionsOn = ({ metadata }: ChangeRequest) =>
    changeApprovals
      .by('request', keyOf(metadata))
      .filter(({ spec, defects }) => defects.length === 0 && spec.request.uid === metadata.uid)
      .toSorted(
        (a, b) =>
          compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
          compareText(a.metadata.name, b.metadata.name),
      );

  return {
    targetOf,
    environmentsOfRequest,
    guardedBy,
    requestsFor: (kind, ref) => changeRequests.by('target', targetKey(kind, ref)),
    changeRequests: () => changeRequests.all(),
    changeRequest: (ref) => changeRequests.get(ref),
    allDecisionsOn,
    decisionsOn(request) {
      const names = guardedBy(request).map(wireNameOf);
      return allDecisionsOn(request).filter((one) => isAbout(one, request, names));
    },
  };
}
