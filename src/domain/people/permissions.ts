/** The permissions of a user by roles (docs/unleash-compatibility.md#permissions-and-roles). */
import type { FlagRole } from '../../schema/flag-role.ts';
import type { PermissionName } from '../../schema/permission.ts';
import { DEFAULT_PROJECT } from '../identity/names.ts';
import type { Role } from './roles.ts';

/** A permission that an operation needs, with the place of the operation. */
export interface RequiredPermission {
  readonly permission: PermissionName;
  /** The wire id of the project of the operation; absent: none. */
  readonly project?: string | undefined;
  /** The wire name of the environment of the operation; absent: none. */
  readonly environment?: string | undefined;
  /** The environments are not known yet: at this point, the permission in any environment is enough. */
  readonly inSomeEnvironment?: boolean | undefined;
}

interface Grant {
  readonly permission: string;
  /** Absent: in every project. */
  readonly project?: string | undefined;
  /** Absent or `*`: in every environment. */
  readonly environment?: string | undefined;
}

const worker: readonly PermissionName[] = [
  ...(['CREATE_FEATURE', 'UPDATE_FEATURE', 'DELETE_FEATURE', 'UPDATE_FEATURE_VARIANTS'] as const),
  ...(['READ_PROJECT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN', 'DELETE_PROJECT_API_TOKEN'] as const),
  ...(['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'] as const),
  ...(['UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS'] as const),
];

const keeper: readonly PermissionName[] = ['MOVE_FEATURE_TOGGLE', 'UPDATE_PROJECT', 'DELETE_PROJECT'];

const member: readonly PermissionName[] = [...worker, 'UPDATE_FEATURE_DEPENDENCY'];

const editor: readonly PermissionName[] = [
  ...(['CREATE_STRATEGY', 'UPDATE_STRATEGY', 'DELETE_STRATEGY'] as const),
  ...(['CREATE_CONTEXT_FIELD', 'UPDATE_CONTEXT_FIELD', 'DELETE_CONTEXT_FIELD'] as const),
  ...(['CREATE_ADDON', 'UPDATE_ADDON', 'DELETE_ADDON'] as const),
  ...(['CREATE_SEGMENT', 'UPDATE_SEGMENT', 'DELETE_SEGMENT'] as const),
  ...(['CREATE_TAG_TYPE', 'UPDATE_TAG_TYPE', 'DELETE_TAG_TYPE'] as const),
  ...(['CREATE_PROJECT', 'UPDATE_APPLICATION'] as const),
  ...(['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'] as const),
];

/** In the project `default`, Editors have the permissions of its owners, except the one for dependencies. */
const builtIn: Readonly<Record<string, readonly Grant[]>> = {
  Admin: [{ permission: 'ADMIN' }],
  Editor: [...grants(editor), ...grants([...worker, ...keeper], DEFAULT_PROJECT)],
  Owner: grants([...member, ...keeper]),
  Member: grants(member),
};

/** The reserved name that means all environments (docs/unleash-compatibility.md#names). */
export const EVERY = '*';

/** The roles of a user for one operation: the root role, and the role in the project if the user is a member. */
export interface EffectiveRoles {
  readonly root: Role | undefined;
  readonly project: Role | undefined;
}

export function isGranted({ root, project }: EffectiveRoles, required: RequiredPermission): boolean {
  // An owner of the project could give it to any member.
  const isOfMembers = required.project !== undefined && !NOT_OF_ADMIN.has(required.permission);
  const ofMember = isOfMembers ? grantsOf(project, required.project) : [];
  return [...grantsOf(root), ...ofMember].some((grant) => covers(grant, required));
}

/** What the role grants in all projects; Editors have more in the project `default`. */
export function permissionsOfRole(role: Role): readonly Pick<Grant, 'permission' | 'environment'>[] {
  return grantsOf(role).filter(({ project }) => project === undefined);
}

/** An admin is one person: it takes another to approve, or a role that says otherwise. */
const NOT_OF_ADMIN: ReadonlySet<PermissionName> = new Set(['SKIP_CHANGE_REQUEST']);

/** ADMIN includes every other permission, within the project and environment of the grant. */
function covers(
  grant: Grant,
  { permission, project, environment, inSomeEnvironment = false }: RequiredPermission,
): boolean {
  return (
    ((grant.permission === 'ADMIN' && !NOT_OF_ADMIN.has(permission)) || grant.permission === permission) &&
    isWithin(grant.project, project) &&
    (inSomeEnvironment || isWithin(grant.environment, environment))
  );
}

function isWithin(limit: string | undefined, place: string | undefined): boolean {
  return limit === undefined || limit === EVERY || limit === place;
}

/** `within` is the project of a member's role. */
function grantsOf(role: Role | undefined, within?: string): readonly Grant[] {
  const grants = role?.custom ? customGrants(role.custom) : (builtIn[role?.name ?? ''] ?? []);
  return within === undefined ? grants : grants.map((grant) => ({ ...grant, project: within }));
}

function customGrants({ spec }: FlagRole): readonly Grant[] {
  return (spec.permissions ?? []).map(({ name, environment }) => ({ permission: name, environment }));
}

function grants(permissions: readonly PermissionName[], project?: string): readonly Grant[] {
  return permissions.map((permission) => ({ permission, project }));
}
