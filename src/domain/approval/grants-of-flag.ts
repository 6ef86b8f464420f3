/** The grants in the status of a flag: the approved changes that may be written to it now. */

import { timestampOf } from '../../model/clock.ts';
import type { Grant } from '../../schema/approvals.ts';
import type { ChangeRequest } from '../../schema/change-request.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import { compareText } from '../identity/names.ts';
import { type Decisive, decisiveOf, digestOfDecisive, isSameDecisive } from './decisive.ts';
import { endOfRequest, environmentsOfRequest, isDue, wantedBy } from './request-values.ts';

/** `requests`: those for a flag of this name. `now` in ms since 1970. */
export function grantedTo(flag: FeatureFlag, requests: readonly ChangeRequest[], now: number) {
  if (requests.length === 0) return undefined;
  return { grants: grantsOfFlag(flag, requests, now), nextAt: nextGrantChange(requests, now) };
}

function grantsOfFlag(flag: FeatureFlag, requests: readonly ChangeRequest[], now: number): Grant[] {
  return requests
    .filter((request) => isGrantable(flag, request, now))
    .sort((a, b) => compareText(a.metadata.name, b.metadata.name))
    .slice(0, 20)
    .map((request) => grantOf(flag, request));
}

/** When time alone gives or ends a grant, in ms since 1970; undefined: never. */
function nextGrantChange(requests: readonly ChangeRequest[], now: number): number | undefined {
  const times = requests
    .filter(({ status }) => status?.phase === 'Approved')
    .flatMap((request) => [endOfRequest(request), Date.parse(request.spec.applyAt ?? '')])
    .filter((at) => at > now);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** The change follows the generation at which the approvals were counted, or is not granted. */
function isGrantable({ metadata, spec }: FeatureFlag, request: ChangeRequest, now: number): boolean {
  const { status, defects } = request;
  const isApproved = status?.phase === 'Approved' && status.observedGeneration === request.metadata.generation;
  return (
    isApproved &&
    defects.length === 0 &&
    request.spec.cancelled !== true &&
    status.targetUid === metadata.uid &&
    status.targetGeneration === metadata.generation &&
    status.base === digestOfDecisive(decisiveOf(spec, environmentsOfRequest(request.spec))) &&
    isDue(request, now) &&
    now < endOfRequest(request)
  );
}

function grantOf({ metadata }: FeatureFlag, request: ChangeRequest): Grant {
  const { archived, variants, dependencies, environments } = wantedBy(request);
  return {
    request: request.metadata.name,
    uid: request.metadata.uid,
    generation: metadata.generation,
    author: request.spec.author.name,
    approvedBy: [...(request.status?.approvedBy ?? [])],
    expiresAt: timestampOf(endOfRequest(request)),
    archived,
    variants: [...variants],
    dependencies: [...dependencies],
    environments,
  };
}

/** The grant that lets the change to `after` pass in the environment. `after` is undefined for a deletion. */
export function grantFor(flag: FeatureFlag, after: FlagSpec | undefined, environment: string): Grant | undefined {
  return (flag.status?.grants ?? []).find((grant) => {
    if (grant.generation !== flag.metadata.generation || !Object.hasOwn(grant.environments, environment)) return false;
    const { archived, variants, dependencies } = grant;
    const granted = {
      archived,
      variants,
      dependencies,
      environments: { [environment]: grant.environments[environment] },
    } as Decisive;
    if (!after)
      return isSameDecisive(
        { ...granted, archived: false, variants: [], dependencies: [] },
        decisiveOf({}, [environment]),
      );
    return isSameDecisive(granted, decisiveOf(after, [environment]));
  });
}
