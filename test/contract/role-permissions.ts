/** The permissions of built-in roles that endpoints ask for, typed by hand. */
import type { PermissionName } from '../../src/schema/permission.ts';

export const member: readonly PermissionName[] = [
  ...(['CREATE_FEATURE', 'UPDATE_FEATURE', 'DELETE_FEATURE', 'UPDATE_FEATURE_VARIANTS'] as const),
  ...(['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY'] as const),
  ...(['UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'UPDATE_FEATURE_DEPENDENCY'] as const),
];
export const owner: readonly PermissionName[] = [...member, 'UPDATE_PROJECT'];
/** What Editors may do in the project `default`. */
export const ofEditor = owner.filter((name) => name !== 'UPDATE_FEATURE_DEPENDENCY');
export const editor: readonly PermissionName[] = [
  ...(['CREATE_STRATEGY', 'UPDATE_STRATEGY', 'DELETE_STRATEGY', 'CREATE_PROJECT'] as const),
  ...(['CREATE_SEGMENT', 'UPDATE_SEGMENT', 'DELETE_SEGMENT', 'UPDATE_APPLICATION'] as const),
];
