/** Change requests by what they would change, and the decisions on them. */
import { isAbout } from '../domain/approval/request-life.ts';
import { environmentsNamed, type Target, type TargetKind, targetKey, targetRefOf } from '../domain/approval/target.ts';
import { compareText, wireNameOf } from '../domain/identity/names.ts';
import { keyOf, type Ref } from '../model/object.ts';
import type { ChangeApproval } from '../schema/change-approval.ts';
import type { ChangeRequest } from '../schema/change-request.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Segment } from '../schema/segment.ts';
import type { Cached } from './cached.ts';

export interface ChangeRequestCaches {
  readonly changeRequests: Cached<ChangeRequest, 'target' | 'segment'>;
  readonly changeApprovals: Cached<ChangeApproval, 'request'>;
}

export interface ChangeRequestLookups {
  /** The requests to change the object of this kind and name. */
  requestsFor(kind: TargetKind, ref: Ref): readonly ChangeRequest[];
  /** All requests. */
  changeRequests(): Iterable<ChangeRequest>;
  changeRequest(ref: Ref): ChangeRequest | undefined;
  /** What the request would change. */
  targetOf(request: ChangeRequest): Target | undefined;
  /** The environments that the request is about: those that it names, or where its segment is used. */
  environmentsOfRequest(request: ChangeRequest): readonly string[];
  /** Those of them in which changes need approval. */
  guardedBy(request: ChangeRequest): readonly Environment[];
  /** The decisions on the request and all its guarded environments; the oldest first. */
  decisionsOn(request: ChangeRequest): readonly ChangeApproval[];
  /** Those that do not count, too; the oldest first. */
  allDecisionsOn(request: ChangeRequest): readonly ChangeApproval[];
}

interface Known extends ChangeRequestCaches {
  readonly flags: Pick<Cached<FeatureFlag>, 'get'>;
  readonly segments: Pick<Cached<Segment>, 'get'>;
  readonly environmentsOfSegment: (segment: Segment) => readonly string[];
  readonly environment: (name: string) => Environment | undefined;
}

export function createChangeRequests(known: Known): ChangeRequestLookups {
  const { changeRequests, changeApprovals, flags, segments, environmentsOfSegment, environment } = known;

  function targetOf(request: ChangeRequest): Target | undefined {
    const kind = request.spec.target?.kind;
    const ref = targetRefOf(request);
    if (kind === 'Segment') {
      const object = segments.get(ref);
      return object && { kind, object };
    }
    const object = flags.get(ref);
    return object && { kind: 'FeatureFlag', object };
  }

  function environmentsOfRequest(request: ChangeRequest): readonly string[] {
    if (request.spec.target?.kind !== 'Segment') return environmentsNamed(request.spec);
    const target = targetOf(request);
    return target?.kind === 'Segment' ? environmentsOfSegment(target.object) : [];
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
