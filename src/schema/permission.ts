/** The permissions that a role may grant (docs/unleash-compatibility.md#permissions-and-roles). */

export const permissionNames = [
  'ADMIN',
  ...(['CREATE_FEATURE', 'UPDATE_FEATURE', 'DELETE_FEATURE', 'MOVE_FEATURE_TOGGLE'] as const),
  ...(['UPDATE_FEATURE_DEPENDENCY', 'UPDATE_FEATURE_VARIANTS', 'UPDATE_FEATURE_ENVIRONMENT'] as const),
  'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
  ...(['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'] as const),
  ...(['CREATE_PROJECT', 'UPDATE_PROJECT', 'DELETE_PROJECT', 'PROJECT_USER_ACCESS_WRITE'] as const),
  ...(['READ_PROJECT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN', 'DELETE_PROJECT_API_TOKEN'] as const),
  ...(['READ_CLIENT_API_TOKEN', 'CREATE_CLIENT_API_TOKEN'] as const),
  ...(['UPDATE_CLIENT_API_TOKEN', 'DELETE_CLIENT_API_TOKEN'] as const),
  ...(['READ_FRONTEND_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN'] as const),
  ...(['UPDATE_FRONTEND_API_TOKEN', 'DELETE_FRONTEND_API_TOKEN'] as const),
  ...(['CREATE_STRATEGY', 'UPDATE_STRATEGY', 'DELETE_STRATEGY'] as const),
  ...(['CREATE_CONTEXT_FIELD', 'UPDATE_CONTEXT_FIELD', 'DELETE_CONTEXT_FIELD'] as const),
  ...(['CREATE_SEGMENT', 'UPDATE_SEGMENT', 'DELETE_SEGMENT'] as const),
  ...(['CREATE_TAG_TYPE', 'UPDATE_TAG_TYPE', 'DELETE_TAG_TYPE'] as const),
  ...(['CREATE_ADDON', 'UPDATE_ADDON', 'DELETE_ADDON'] as const),
  'UPDATE_APPLICATION',
  'ALERT_ACTION',
  'BYPASS_FREEZE',
  ...(['APPROVE_CHANGE_REQUEST', 'SKIP_CHANGE_REQUEST'] as const),
] as const;
export type PermissionName = (typeof permissionNames)[number];

/** What a permission is granted for: everything, a project, or an environment of a project. */
export type PermissionLevel = 'root' | 'project' | 'environment';

const OF_PROJECTS: ReadonlySet<string> = new Set<PermissionName>([
  ...(['CREATE_FEATURE', 'UPDATE_FEATURE', 'DELETE_FEATURE', 'MOVE_FEATURE_TOGGLE'] as const),
  ...(['UPDATE_FEATURE_DEPENDENCY', 'UPDATE_FEATURE_VARIANTS'] as const),
  ...(['UPDATE_PROJECT', 'DELETE_PROJECT', 'PROJECT_USER_ACCESS_WRITE'] as const),
  ...(['READ_PROJECT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN', 'DELETE_PROJECT_API_TOKEN'] as const),
]);

const OF_ENVIRONMENTS: ReadonlySet<string> = new Set<PermissionName>([
  ...(['UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS'] as const),
  ...(['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'] as const),
  ...(['ALERT_ACTION', 'BYPASS_FREEZE', 'APPROVE_CHANGE_REQUEST', 'SKIP_CHANGE_REQUEST'] as const),
]);

export function levelOfPermission(name: string): PermissionLevel {
  if (OF_PROJECTS.has(name)) return 'project';
  return OF_ENVIRONMENTS.has(name) ? 'environment' : 'root';
}
