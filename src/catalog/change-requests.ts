/** Change requests by the flag that they would change, and the decisions on them. */
import { environmentsOfRequest, isAbout, targetRefOf } from '../domain/approval/request-values.ts';
import { compareText, wireNameOf } from '../domain/identity/names.ts';
import { keyOf, type Ref } from '../model/object.ts';
import type { ChangeApproval } from '../schema/change-approval.ts';
import type { ChangeRequest } from '../schema/change-request.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Cached } from './cached.ts';

export interface ChangeRequestCaches {
  readonly changeRequests: Cached<ChangeRequest, 'target' | 'segment'>;
  readonly changeApprovals: Cached<ChangeApproval, 'request'>;
}

export interface ChangeRequestLookups {
  /** The requests to change a flag of this object name. */
  requestsFor(flag: Ref): readonly ChangeRequest[];
  /** All requests. */
  changeRequests(): Iterable<ChangeRequest>;
  changeRequest(ref: Ref): ChangeRequest | undefined;
  /** The flag that the request would change. */
  targetOf(request: ChangeRequest): FeatureFlag | undefined;
  /** The environments of the request in which changes need approval. */
  guardedBy(request: ChangeRequest): readonly Environment[];
  /** The decisions on the request and all its guarded environments. */
  decisionsOn(request: ChangeRequest): readonly ChangeApproval[];
  /** Those that do not count, too; the oldest first. */
  allDecisionsOn(request: ChangeRequest): readonly ChangeApproval[];
}

interface Known extends ChangeRequestCaches {
  readonly flags: Pick<Cached<FeatureFlag>, 'get'>;
  readonly environment: (name: string) => Environment | undefined;
}

export function createChangeRequests({
  changeRequests,
  changeApprovals,
  flags,
  environment,
}: Known): ChangeRequestLookups {
  const guardedBy = ({ spec }: ChangeRequest) =>
    environmentsOfRequest(spec).flatMap((name) => {
      const found = environment(name);
      return found?.spec.approvals ? [found] : [];
    });
  return {
    guardedBy,
    requestsFor: (flag) => changeRequests.by('target', keyOf(flag)),
    changeRequests: () => changeRequests.all(),
    changeRequest: (ref) => changeRequests.get(ref),
    targetOf: (request) => flags.get(targetRefOf(request)),
    allDecisionsOn: ({ metadata }) =>
      changeApprovals
        .by('request', keyOf(metadata))
        .filter(({ spec, defects }) => defects.length === 0 && spec.request.uid === metadata.uid)
        .toSorted((a, b) => compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp)),
    decisionsOn: (request) => {
      const names = guardedBy(request).map(wireNameOf);
      return changeApprovals.by('request', keyOf(request.metadata)).filter((one) => isAbout(one, request, names));
    },
  };
}
