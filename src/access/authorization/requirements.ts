/** The requirements of endpoints: the permission, and the access that kubectl would need. */
import type { Catalog } from '../../catalog/catalog.ts';
import { isInProject } from '../../catalog/find.ts';
import { projectIdOf } from '../../domain/flag/flag-values.ts';
import type { Named } from '../../domain/identity/names.ts';
import type { Access } from '../../kube/api/reviews.ts';
import type { ChangeRequest } from '../../schema/change-request.ts';
import type { PermissionName } from '../../schema/permission.ts';
import type { AccessRequest, Permission, Sent } from '../caller.ts';

type Verb = 'get' | 'list' | 'create' | 'patch' | 'delete';

/**
 * The verb on an Environment that permits changes of flags in it. Name: its wire name; namespace: that of the written
 * object.
 */
export const CHANGE_FLAGS = 'change-flags';

/** The row of an endpoint in docs/access.md. */
interface Row {
  readonly permission: Permission;
  /** Permissions each of which is enough instead. */
  readonly orAny?: readonly PermissionName[] | undefined;
  readonly verb: Verb | undefined;
  /** The plural of the kind. */
  readonly resource: string | undefined;
}

/** The parts of the services that requirements depend on. */
export interface Known {
  readonly catalog: Catalog;
  /** The operator namespace. */
  readonly home: string;
  /** The namespaces of projects, flags and segments; `*`: all. */
  readonly watchNamespaces: '*' | readonly string[];
}

export interface Requirement<P> extends Row {
  /** The requirement for these path parameters. */
  // A property, because the parameters of methods are compared loosely: the path must have what this needs.
  readonly of: (services: Known, params: P) => AccessRequest;
  /** The requirement for any object of a place, if a request names its objects in another way; absent: as `of`. */
  readonly ofPlace?: (services: Known, place: PlaceOfObjects) => AccessRequest;
}

/** A project, or an environment of it; absent: the request names none. */
export interface PlaceOfObjects {
  readonly projectId?: string;
  readonly environment?: string;
}

type AccessTarget = Omit<Access, 'verb' | 'resource'>;

/** In an access review, the empty namespace means all namespaces. */
export const EVERYWHERE = '';

const FLAGS = 'featureflags';

/**
 * An object that does not exist is authorized in each namespace where it could be. Otherwise a caller who may read one
 * namespace would learn from the status code which objects exist in the others.
 */
function anywhere({ watchNamespaces }: Known): readonly AccessTarget[] {
  return (watchNamespaces === '*' ? [EVERYWHERE] : watchNamespaces).map((namespace) => ({ namespace }));
}

function inProject(projectId: string): string {
  return `the project "${projectId}"`;
}

interface InProject {
  readonly projectId: string;
}
interface OfFlag extends InProject {
  readonly featureName: string;
  readonly environment?: string;
}

/** Authentication is enough. */
export const signedIn: Requirement<unknown> = {
  permission: 'NONE',
  verb: undefined,
  resource: undefined,
  of: () => ({ permission: 'NONE' }),
};

/** Access to the flag that the path names. A missing flag is authorized as any flag of its project. */
export function toFlag(verb: Verb, permission: Permission): Requirement<OfFlag> {
  return requirement({ permission, verb, resource: FLAGS }, (known, { projectId, featureName, environment }) => {
    const flag = known.catalog.flag(featureName);
    const isFound = flag && isInProject(known.catalog, flag, projectId);
    const places = isFound ? [placeOf(flag)] : placesOfProject(known, projectId);
    return { project: projectId, environment, places, sent: { object: featureName, place: inProject(projectId) } };
  });
}

/** The namespaces in which flags of the project can be. */
function placesOfProject(known: Known, projectId: string): readonly AccessTarget[] {
  const project = known.catalog.project(projectId);
  return project ? [{ namespace: project.metadata.namespace }] : anywhere(known);
}

/** As `toFlag`, for an endpoint whose body names environments: each is authorized once the body is read. */
export function toFlagInSome(verb: Verb, permission: Permission): Requirement<OfFlag> {
  const row = toFlag(verb, permission);
  return {
    ...row,
    of: (known, params) => ({ ...row.of(known, params), inSomeEnvironment: true }),
    ofPlace: (known, place) => ({
      ...row.of(known, anyFlagOf(place)),
      inSomeEnvironment: place.environment === undefined,
    }),
  };
}

/** Access to each flag of the project that the path names. */
export function toFlags(verb: Verb, permission: Permission): Requirement<InProject & Pick<OfFlag, 'environment'>> {
  const row = toFlag(verb, permission);
  return { ...row, of: (known, path) => row.of(known, anyFlagOf(path)), ofPlace: anyInPlace(row) };
}

/** No flag has the empty name, so access to it is access to any. */
function anyFlagOf({ projectId = '', ...where }: PlaceOfObjects): OfFlag {
  return { projectId, featureName: '', ...where };
}

/**
 * Access to a flag that the path names without its project. A project of another namespace does not count as its own.
 */
export function toFlagByName(verb: Verb, permission: Permission): Requirement<Pick<OfFlag, 'featureName'>> {
  const ofPlace = anyInPlace(toFlag(verb, permission));
  const row = requirement(
    { permission, verb, resource: FLAGS },
    (known, { featureName }: Pick<OfFlag, 'featureName'>) => {
      const flag = known.catalog.flag(featureName);
      const project = flag && known.catalog.flagContextOf(flag).project && projectIdOf(flag);
      return { project, places: placesOf(known, flag), sent: { object: featureName } };
    },
  );
  return { ...row, ofPlace };
}

function anyInPlace(row: Requirement<OfFlag>): (known: Known, place: PlaceOfObjects) => AccessRequest {
  return (known, place) => row.of(known, anyFlagOf(place));
}

/** Access to flags of any projects that the body names: each is authorized alone once the body is read. */
export function toFlagsOfAnyProject(verb: Verb, permission: Permission): Requirement<unknown> {
  return { permission, verb, resource: FLAGS, of: signedIn.of, ofPlace: anyInPlace(toFlag(verb, permission)) };
}

/** As `toFlagsOfAnyProject`, for flags of the project in the path. */
export function toFlagsOfBody(
  verb: Verb,
  permission: Permission,
): Requirement<InProject & Pick<OfFlag, 'environment'>> {
  return {
    ...toFlagsOfAnyProject(verb, permission),
    of: (_, { projectId, environment }) => ({ permission, project: projectId, environment }),
  };
}

/** A flag in an environment that an alert names. */
interface OfAlert {
  readonly flag: string;
  readonly environment: string;
  readonly project: string | undefined;
}

/** What an alert needs for its flag; a missing flag is authorized as any flag. */
export function toFlagOfAlert(known: Known, { flag: featureName, environment, project }: OfAlert): AccessRequest {
  const [verb, permission] = ['patch', 'ALERT_ACTION'] as const;
  return project === undefined
    ? { ...toFlagByName(verb, permission).of(known, { featureName }), environment }
    : toFlag(verb, permission).of(known, { featureName, environment, projectId: project });
}

/** Creation of a flag in the project. */
export function toNewFlag(permission: Permission): Requirement<InProject> {
  return toAnyOfProject({ permission, verb: 'create', resource: FLAGS });
}

/** Access to any object of the project. */
function toAnyOfProject(row: RowOfObjects): Requirement<InProject> {
  return requirement(row, (known, { projectId }) => ({
    project: projectId,
    places: placesOfProject(known, projectId),
    sent: { place: inProject(projectId) },
  }));
}

/** Access to the project that the path names. A missing project is authorized as any project. */
export function toProject(verb: Verb, permission: Permission): Requirement<InProject> {
  return requirement({ permission, verb, resource: 'projects' }, (known, { projectId }) => ({
    project: projectId,
    places: placesOf(known, known.catalog.project(projectId)),
    sent: { object: projectId },
  }));
}

interface OfRequest extends InProject {
  readonly id: string;
}

const REQUESTS = 'changerequests';

/** Access to the change requests for flags of the project that the path names. */
export function toChangeRequests(verb: Verb, permission: Permission): Requirement<InProject> {
  return toAnyOfProject({ permission, verb, resource: REQUESTS });
}

/** Access to the change request that the path names; a missing one is authorized as any of its project. */
export function toChangeRequest(verb: Verb, permission: Permission): Requirement<OfRequest> {
  return ofRequest({ permission, verb, resource: REQUESTS }, (_, request) => placeOf(request));
}

/** Access to the flag that the change request in the path would change; if there is none, to all of the project. */
export function toFlagOfRequest(verb: Verb, permission: Permission): Requirement<OfRequest> {
  return ofRequest({ permission, verb, resource: FLAGS }, ({ catalog }, request) => {
    const target = catalog.targetOf(request);
    return target?.kind === 'FeatureFlag' ? placeOf(target.object) : undefined;
  });
}

/** Access to what the change request in the path stands for; if `find` finds nothing, to all of the project. */
function ofRequest(
  row: RowOfObjects,
  find: (known: Known, request: ChangeRequest) => AccessTarget | undefined,
): Requirement<OfRequest> {
  const found = requirement(row, (known, { projectId, id }: OfRequest) => ({
    project: projectId,
    places: placesOfProject(known, projectId).map((place) => {
      const request = known.catalog.changeRequest({ namespace: place.namespace, name: id });
      return (request && find(known, request)) ?? place;
    }),
    sent: { object: id, place: inProject(projectId) },
  }));
  return { ...found, ofPlace: (known, { projectId = '' }) => found.of(known, { projectId, id: '' }) };
}

interface OfSegment {
  readonly segmentId: number;
}

/** Access to the segment that the path names by its number. A missing one is authorized wherever segments can be. */
export function toSegment(verb: Verb, permission: Permission): Requirement<OfSegment> {
  return requirement({ permission, verb, resource: 'segments' }, (known, { segmentId }) => ({
    places: placesOf(known, known.catalog.segment(segmentId)),
    sent: { object: `${segmentId}` },
  }));
}

/** As `toSegment`, for a path that has the name of the segment. */
export function toSegmentNamed(verb: Verb, permission: Permission): Requirement<{ readonly segmentName: string }> {
  return requirement({ permission, verb, resource: 'segments' }, (known, { segmentName }) => ({
    places: placesOf(known, known.catalog.segmentNamed(segmentName)),
    sent: { object: segmentName },
  }));
}

/** Creation of a segment, which is in the namespace of its project; undefined: in the operator namespace. */
export const toNewSegment: Requirement<string | undefined> = requirement(
  { permission: 'CREATE_SEGMENT', verb: 'create', resource: 'segments' },
  (known, project) => ({
    places: project === undefined ? [{ namespace: known.home }] : placesOfProject(known, project),
    sent: { place: project && inProject(project) },
  }),
);

interface AtHome<P> {
  readonly verb: Verb;
  /** The plural of the kind. */
  readonly resource: string;
  readonly permission: Permission;
  readonly orAny?: readonly PermissionName[];
  /** The object that the path names; absent: it names none. */
  readonly find?: (known: Known, params: P) => Named | undefined;
  /** The name in the path, for refusals; absent: refusals name none. */
  readonly sent?: (params: P) => string;
}

/** Access to a kind that exists only in the operator namespace. */
export function toHome<P>({ find, sent, ...row }: AtHome<P>): Requirement<P> {
  return requirement(row, (known, params: P) => {
    const name = find?.(known, params)?.metadata.name;
    return {
      places: [{ namespace: known.home, ...(name !== undefined && { name }) }],
      sent: { object: sent?.(params), place: `the namespace "${known.home}"` },
    };
  });
}

/** Changes of what is kept of applications: no object stands for them, and they ask for flags of any project. */
export const toApplications = toHome<unknown>({
  verb: 'create',
  resource: FLAGS,
  permission: 'UPDATE_APPLICATION',
});

/** Search of users, which reveals their e-mail addresses. */
export const toSearchUsers = toHome<unknown>({ verb: 'list', resource: 'flagusers', permission: 'NONE' });

/** For an endpoint whose body may name a project. */
export function toProjectOfBody(row: Requirement<InProject>): Requirement<unknown> {
  return {
    ...signedIn,
    ofPlace: (known, { projectId }) =>
      projectId === undefined ? signedIn.of(known, {}) : row.of(known, { projectId }),
  };
}

/**
 * For an endpoint whose body names the objects: RBAC may grant access by name, so it is reviewed once the body is read.
 */
export function namedByBody(
  row: Row,
  ofPlace: (known: Known, place: PlaceOfObjects) => AccessRequest,
): Requirement<unknown> {
  return {
    ...row,
    ofPlace,
    of(known) {
      const { accesses: _, ...request } = ofPlace(known, {});
      return request;
    },
  };
}

type RequirementTarget = Omit<AccessRequest, 'permission' | 'orAny' | 'accesses'> & {
  readonly places: readonly AccessTarget[];
  readonly sent: Sent;
};

interface RowOfObjects extends Row {
  readonly verb: Verb;
  readonly resource: string;
}

/** The requirement for the objects in `target`. */
function requirement<P>(row: RowOfObjects, target: (known: Known, params: P) => RequirementTarget): Requirement<P> {
  const { permission, orAny, verb, resource } = row;
  return {
    ...row,
    of(known, params) {
      const { places, ...where } = target(known, params);
      return { permission, orAny, ...where, accesses: places.map((place) => ({ verb, resource, ...place })) };
    },
  };
}

/** An object that is missing could be in any namespace. */
function placesOf(known: Known, found: Named | undefined): readonly AccessTarget[] {
  return found ? [placeOf(found)] : anywhere(known);
}

function placeOf({ metadata: { namespace, name } }: Pick<Named, 'metadata'>): AccessTarget {
  return { namespace, name };
}
