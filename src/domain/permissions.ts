/** What the roles of a user allow (facts §7). */
import type { FlagRole } from '../schema/flag-role.ts';
import type { PermissionName } from '../schema/permission.ts';
import { DEFAULT_PROJECT } from './flag-values.ts';
import type { Role } from './roles.ts';

/** What a caller wants to do. */
export interface Asked {
  readonly permission: PermissionName;
  /** The wire id of the project that it is done in; absent: in none. */
  readonly project?: string | undefined;
  /** The wire name of the environment that it is done in; absent: in none. */
  readonly environment?: string | undefined;
  /** In which environments is not known yet: so far, to be allowed in any of them is enough. */
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

/** In the project `default` Editors do what its owners do, but for dependencies. */
const builtIn: Readonly<Record<string, readonly Grant[]>> = {
  Admin: [{ permission: 'ADMIN' }],
  Editor: [...grants(editor), ...grants([...worker, ...keeper], DEFAULT_PROJECT)],
  Owner: grants([...member, ...keeper]),
  Member: grants(member),
};

/** The name that is kept for all environments (facts §9). */
export const EVERY = '*';

/** The roles that a user has where something is asked: one everywhere, and one in the project if they are its member. */
export interface RolesThere {
  readonly root: Role | undefined;
  readonly project: Role | undefined;
}

export function isGranted({ root, project }: RolesThere, asked: Asked): boolean {
  const ofMember = asked.project === undefined ? [] : grantsOf(project, asked.project);
  return [...grantsOf(root), ...ofMember].some((grant) => covers(grant, asked));
}

/** ADMIN is everything, as far as the grant reaches. */
function covers(grant: Grant, { permission, project, environment, inSomeEnvironment = false }: Asked): boolean {
  return (
    (grant.permission === 'ADMIN' || grant.permission === permission) &&
    isWithin(grant.project, project) &&
    (inSomeEnvironment || isWithin(grant.environment, environment))
  );
}

function isWithin(limit: string | undefined, asked: string | undefined): boolean {
  return limit === undefined || limit === EVERY || limit === asked;
}

/** `within`: the project where it is a member's role. */
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
