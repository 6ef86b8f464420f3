/** What each kind of endpoint asks of its caller: the table from an endpoint to a permission, and to what kubectl would need. */
import type { Catalog } from '../../catalog/catalog.ts';
import { projectIdOf } from '../../domain/flag-values.ts';
import type { Named } from '../../domain/names.ts';
import type { Access } from '../../kube/reviews.ts';
import type { PermissionName } from '../../schema/permission.ts';
import { isInProject } from '../find.ts';
import type { Ask, Permission, Sent } from './caller.ts';

type Verb = 'get' | 'list' | 'create' | 'patch' | 'delete';

/** What the table in docs/access.md says of an endpoint. */
interface Row {
  readonly permission: Permission;
  /** Permissions each of which will do in its place. */
  readonly orAny?: readonly PermissionName[] | undefined;
  readonly verb: Verb | undefined;
  /** The plural of the kind. */
  readonly resource: string | undefined;
}

/** What the table goes by. */
export interface Known {
  readonly catalog: Catalog;
  /** The namespace of everything but projects and flags. */
  readonly home: string;
  /** Where projects and flags are watched; `*`: everywhere. */
  readonly watchNamespaces: '*' | readonly string[];
}

export interface Asks<P> extends Row {
  /** What is asked for these parameters of the path. */
  of(services: Known, params: P): Ask;
}

type Place = Omit<Access, 'verb' | 'resource'>;

/** Asked of the API server it means all namespaces. */
export const EVERYWHERE = '';

/**
 * What is nowhere is asked for in each namespace where it could be: else a caller who may read in one of them would tell
 * by the answer what exists in the others.
 */
function anywhere({ watchNamespaces }: Known): readonly Place[] {
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

/** To be signed in is enough. */
export const signedIn: Asks<unknown> = {
  permission: 'NONE',
  verb: undefined,
  resource: undefined,
  of: () => ({ permission: 'NONE' }),
};

/** Something done to the flag that the path names. One that is not there is asked for as any of its project. */
export function toFlag(verb: Verb, permission: Permission): Asks<OfFlag> {
  return onFlag({ permission, verb }, (known, { projectId, featureName, environment }) => {
    const flag = known.catalog.flag(featureName);
    const isThere = flag && isInProject(known.catalog, flag, projectId);
    const places = isThere ? [placeOf(flag)] : placesOfProject(known, projectId);
    return { project: projectId, environment, places, sent: { object: featureName, place: inProject(projectId) } };
  });
}

/** Where flags of the project are. */
function placesOfProject(known: Known, projectId: string): readonly Place[] {
  const project = known.catalog.project(projectId);
  return project ? [{ namespace: project.metadata.namespace }] : anywhere(known);
}

/** As `toFlag`, of an endpoint whose body says in which environments: once it is read, each of them is asked for. */
export function toFlagInSome(verb: Verb, permission: Permission): Asks<OfFlag> {
  const row = toFlag(verb, permission);
  return { ...row, of: (known, params) => ({ ...row.of(known, params), inSomeEnvironment: true }) };
}

/** Something done to a flag that the path names without its project. A project of another namespace is not its own. */
export function toFlagByName(verb: Verb, permission: Permission): Asks<Pick<OfFlag, 'featureName'>> {
  return onFlag({ permission, verb }, (known, { featureName }) => {
    const flag = known.catalog.flag(featureName);
    const project = flag && known.catalog.surroundingsOf(flag).project && projectIdOf(flag);
    return { project, places: flag ? [placeOf(flag)] : anywhere(known), sent: { object: featureName } };
  });
}

/** Something done to flags of the project that the body names: once it is read, each of them is asked for by `toFlag`. */
export function toFlagsOfBody(verb: Verb, permission: Permission): Asks<InProject & Pick<OfFlag, 'environment'>> {
  return {
    permission,
    verb,
    resource: 'featureflags',
    of: (_, { projectId, environment }) => ({ permission, project: projectId, environment }),
  };
}

/** A new flag in the project. */
export function toNewFlag(permission: Permission): Asks<InProject> {
  return onFlag({ permission, verb: 'create' }, (known, { projectId }) => ({
    project: projectId,
    places: placesOfProject(known, projectId),
    sent: { place: inProject(projectId) },
  }));
}

/** Something done to the project that the path names. One that is not there is asked for as any. */
export function toProject(verb: Verb, permission: Permission): Asks<InProject> {
  const resource = 'projects';
  return {
    permission,
    verb,
    resource,
    of(known, { projectId }) {
      const found = known.catalog.project(projectId);
      const places = found ? [placeOf(found)] : anywhere(known);
      const accesses = places.map((place) => ({ verb, resource, ...place }));
      return { permission, project: projectId, accesses, sent: { object: projectId } };
    },
  };
}

interface AtHome<P> {
  readonly verb: Verb;
  /** The plural of the kind. */
  readonly resource: string;
  readonly permission: Permission;
  readonly orAny?: readonly PermissionName[];
  /** The object that the path names; absent: it names none. */
  readonly find?: (known: Known, params: P) => Named | undefined;
  /** How the path names it; absent: a refusal does not. */
  readonly sent?: (params: P) => string;
}

/** Something done to a kind that lives at home only. */
export function toHome<P>({ verb, resource, permission, orAny, find, sent }: AtHome<P>): Asks<P> {
  return {
    permission,
    orAny,
    verb,
    resource,
    of(known, params) {
      const name = find?.(known, params)?.metadata.name;
      const access = { verb, resource, namespace: known.home, ...(name !== undefined && { name }) };
      const place = `the namespace "${known.home}"`;
      return { permission, orAny, accesses: [access], sent: { object: sent?.(params), place } };
    },
  };
}

/** To find users, and so to read their e-mail addresses. */
export const toSearchUsers = toHome<unknown>({ verb: 'list', resource: 'flagusers', permission: 'NONE' });

/** Of an endpoint whose body names the objects: kubectl's permission may be by name, so it is asked for once they are known. */
export function namedByBody<P>(row: Asks<P>): Asks<P> {
  return {
    ...row,
    of(known, params) {
      const { accesses: _, ...ask } = row.of(known, params);
      return ask;
    },
  };
}

type Target = Omit<Ask, 'permission' | 'accesses'> & { readonly places: readonly Place[]; readonly sent: Sent };

function onFlag<P>(
  { permission, verb }: { permission: Permission; verb: Verb },
  target: (known: Known, params: P) => Target,
): Asks<P> {
  const resource = 'featureflags';
  return {
    permission,
    verb,
    resource,
    of(known, params) {
      const { places, ...where } = target(known, params);
      return { permission, ...where, accesses: places.map((place) => ({ verb, resource, ...place })) };
    },
  };
}

function placeOf({ metadata: { namespace, name } }: Named): Place {
  return { namespace, name };
}
