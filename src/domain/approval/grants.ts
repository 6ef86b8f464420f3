/** The grants in the status of an object: the approved changes that may be written to it now. */
import { timestampOf } from '../../model/clock.ts';
import type { ObjectMetadata } from '../../model/object.ts';
import type { FlagGrant, SegmentGrant, SettingsGrant } from '../../schema/approvals.ts';
import type { ChangeRequest } from '../../schema/change-request.ts';
import type { Environment } from '../../schema/environment.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import type { Project } from '../../schema/project.ts';
import type { Segment, SegmentSpec } from '../../schema/segment.ts';
import { compareText } from '../identity/names.ts';
import type { Granted } from '../judgement/verdict.ts';
import { type Decisive, decisiveOf } from './decisive.ts';
import { endOfRequest, isDue } from './request-life.ts';
import { environmentsNamed, presentIn, segmentValuesOf, type Target, wantedBy } from './target.ts';
import { digestOfValues, isSameValues, type Values } from './values.ts';

/** `requests`: those for a flag of this name; undefined if there are none. `now` in ms since 1970. */
export function grantedToFlag(
  object: FeatureFlag,
  requests: readonly ChangeRequest[],
  now: number,
): Granted<FlagGrant> | undefined {
  return granted({ kind: 'FeatureFlag', object }, { requests, now }, ({ spec }) => {
    const { archived, variants, dependencies, environments } = decisiveOf(spec, environmentsNamed(spec));
    return { archived, variants: [...variants], dependencies: [...dependencies], environments };
  });
}

/** As `grantedToFlag`. */
export function grantedToSegment(
  object: Segment,
  requests: readonly ChangeRequest[],
  now: number,
): Granted<SegmentGrant> | undefined {
  return granted({ kind: 'Segment', object }, { requests, now }, ({ spec, status }) => {
    const { constraints } = segmentValuesOf(spec.segment ?? {});
    return { environments: [...(status?.environments ?? [])], constraints: [...constraints] };
  });
}

/** As `grantedToFlag`, for a project or an environment. */
export function grantedToSettings(
  target: Extract<Target, { readonly kind: 'Project' | 'Environment' }>,
  requests: readonly ChangeRequest[],
  now: number,
): Granted<SettingsGrant> | undefined {
  return granted(target, { requests, now }, (request) => ({
    environments: [...(request.status?.environments ?? [])],
    settings: { ...wantedBy(request) },
  }));
}

interface GrantRequests {
  readonly requests: readonly ChangeRequest[];
  readonly now: number;
}

function granted<V>(
  target: Target,
  { requests, now }: GrantRequests,
  valuesOf: (request: ChangeRequest) => V,
): Granted<Base & V> | undefined {
  if (requests.length === 0) return undefined;
  const grants = requests
    .filter((request) => isGrantable(target, request, now))
    .sort((a, b) => compareText(a.metadata.name, b.metadata.name))
    .slice(0, MAX_GRANTS)
    .map((request) => ({ ...baseOf(target, request), ...valuesOf(request) }));
  return { grants, nextAt: nextGrantChange(requests, now) };
}

const MAX_GRANTS = 20;

/** When time alone gives or ends a grant, in ms since 1970; undefined: never. */
function nextGrantChange(requests: readonly ChangeRequest[], now: number): number | undefined {
  const times = requests
    .filter(({ status }) => status?.phase === 'Approved')
    .flatMap((request) => [endOfRequest(request), Date.parse(request.spec.applyAt ?? '')])
    .filter((at) => at > now);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** The change follows the generation at which the approvals were counted, or is not granted. */
function isGrantable(target: Target, request: ChangeRequest, now: number): boolean {
  const { metadata } = target.object;
  const { status, defects } = request;
  const isApproved = status?.phase === 'Approved' && status.observedGeneration === request.metadata.generation;
  return (
    isApproved &&
    defects.length === 0 &&
    request.spec.cancelled !== true &&
    status.targetUid === metadata.uid &&
    status.targetGeneration === metadata.generation &&
    status.base === digestOfValues(presentIn(target, request)) &&
    isDue(request, now) &&
    now < endOfRequest(request)
  );
}

type Base = Omit<SegmentGrant, 'environments' | 'constraints'>;

function baseOf({ object: { metadata } }: Target, request: ChangeRequest): Base {
  return {
    request: request.metadata.name,
    uid: request.metadata.uid,
    generation: metadata.generation,
    author: request.spec.author.name,
    approvedBy: [...(request.status?.approvedBy ?? [])],
    expiresAt: timestampOf(endOfRequest(request)),
  };
}

/** The grant that lets the change of the flag to `after` pass in the environment. Undefined: a deletion. */
export function grantForFlag(
  flag: FeatureFlag,
  after: FlagSpec | undefined,
  environment: string,
): FlagGrant | undefined {
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
      return isSameValues(
        { ...granted, archived: false, variants: [], dependencies: [] },
        decisiveOf({}, [environment]),
      );
    return isSameValues(granted, decisiveOf(after, [environment]));
  });
}

/** As `grantForFlag`. No grant is for a deletion, or for another project. */
export function grantForSegment(
  { metadata, spec, status }: Segment,
  after: SegmentSpec | undefined,
  environment: string,
): SegmentGrant | undefined {
  if (after === undefined || after.project !== spec.project) return undefined;
  const wanted = segmentValuesOf(after);
  return (status?.grants ?? []).find(
    ({ constraints, ...grant }) => isFor(grant, metadata, environment) && isSameValues({ constraints }, wanted),
  );
}

/** As `grantForSegment`, for the settings that a write of a project or an environment leads to. */
export function grantForSettings(
  { metadata, status }: Pick<Project | Environment, 'metadata' | 'status'>,
  after: Values,
  environment: string,
): SettingsGrant | undefined {
  return (status?.grants ?? []).find(
    (grant) => isFor(grant, metadata, environment) && isSameValues(grant.settings, after),
  );
}

function isFor(
  { generation, environments }: Pick<SegmentGrant, 'generation' | 'environments'>,
  metadata: ObjectMetadata,
  environment: string,
): boolean {
  return generation === metadata.generation && environments.includes(environment);
}
