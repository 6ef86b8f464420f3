/** What a caller may do in a place, by the requirements that decide on its requests. */
import type { Access } from '../../kube/api/reviews.ts';
import { environment as environmentKind } from '../../schema/environment.ts';
import type { PermissionName } from '../../schema/permission.ts';
import type { AccessRequest, Caller } from '../caller.ts';
import { CHANGE_FLAGS, type Known, type PlaceOfObjects, type Requirement } from './requirements.ts';

/** The environments in which an endpoint may change what is in effect: those that a request names, or all. */
export type TouchedByEndpoint = 'named' | 'all';

/** What an endpoint requires. */
export interface EndpointNeed {
  /** `PUT /projects/:projectId`. */
  readonly endpoint: string;
  readonly requires: Requirement<unknown>;
  readonly alsoRequires: readonly Requirement<unknown>[];
  readonly touches: TouchedByEndpoint | undefined;
}

export interface Permitted {
  /** Permissions for which the caller may call all endpoints that the place names. */
  readonly permissions: readonly PermissionName[];
  readonly endpoints: readonly string[];
}

interface PermissionQuestion {
  readonly caller: Caller;
  readonly known: Known & { readonly environmentPermissions: boolean };
  readonly needs: readonly EndpointNeed[];
}

interface NeededAccess {
  readonly need: EndpointNeed;
  readonly requests: readonly AccessRequest[];
  readonly writes: readonly Access[];
}

/** What a caller may do with any object of the place, if its access depends on the names of objects. */
export async function permittedIn(
  { caller, known, needs }: PermissionQuestion,
  place: PlaceOfObjects,
): Promise<Permitted> {
  const asked = needs
    .filter(({ endpoint }) => isNamed(endpoint, place))
    .map((need) => {
      const requests = requestsOf(need, known, place);
      const writes = known.environmentPermissions ? writesOf(need, requests, place) : [];
      return { need, requests, writes };
    });
  const verdicts = await Promise.all(asked.map((one) => mayCall(caller, one)));
  const permissions = [...new Set(asked.flatMap(({ need }) => permissionsOf(need)))].toSorted();
  const granted = await Promise.all(
    permissions.map(async (permission) => {
      const needing = asked.filter(({ need }) => permissionsOf(need).includes(permission));
      const calls = needing.map((one) =>
        mayCall(caller, { ...one, requests: one.requests.map((request) => requestWith(request, permission)) }),
      );
      return (await Promise.all(calls)).every((allowed) => allowed);
    }),
  );
  return {
    permissions: permissions.filter((_, index) => granted[index]),
    endpoints: asked.filter((_, index) => verdicts[index]).map(({ need }) => need.endpoint),
  };
}

async function mayCall(caller: Caller, { requests, writes }: Omit<NeededAccess, 'need'>): Promise<boolean> {
  const refusals = await Promise.all([
    ...requests.map((one) => caller.refusal(one)),
    ...writes.map((one) => caller.refusalOfWrite(one)),
  ]);
  return refusals.every((refusal) => refusal === undefined);
}

/** The access that a change of what is in effect needs, in the namespace of the written object. */
function writesOf({ touches }: EndpointNeed, requests: readonly AccessRequest[], { environment }: PlaceOfObjects) {
  if (touches === undefined || (touches === 'named' && environment === undefined)) return [];
  const name = touches === 'all' ? undefined : environment;
  return (requests[0]?.accesses ?? []).map(
    ({ namespace }): Access => ({
      verb: CHANGE_FLAGS,
      resource: environmentKind.plural,
      namespace,
      ...(name !== undefined && { name }),
    }),
  );
}

/** Whether the place has the project and the environment that the path of the endpoint needs. */
function isNamed(endpoint: string, { projectId, environment }: PlaceOfObjects): boolean {
  const needsProject = /:(projectId|featureName)\b/.test(endpoint);
  return (projectId !== undefined || !needsProject) && (environment !== undefined || !/:environment\b/.test(endpoint));
}

function requestsOf({ requires, alsoRequires }: EndpointNeed, known: Known, place: PlaceOfObjects): AccessRequest[] {
  return [requires, ...alsoRequires].map((one) => one.ofPlace?.(known, place) ?? one.of(known, pathIn(place)));
}

/** The parameters of a path in the place; none of the others names an object. */
function pathIn({ projectId = '', environment = '' }: PlaceOfObjects) {
  return { projectId, environment, featureName: '', segmentId: -1, segmentName: '', strategyName: '', tokenName: '' };
}

function permissionsOf({ requires: { permission, orAny = [] } }: EndpointNeed): readonly PermissionName[] {
  return permission === 'NONE' ? [] : [permission, ...orAny];
}

/** The request with this permission alone, if several permissions are each enough. */
function requestWith(request: AccessRequest, permission: PermissionName): AccessRequest {
  return request.orAny === undefined || request.permission === 'NONE' ? request : { ...request, permission, orAny: [] };
}
