/** Which permission each endpoint needs, written down by hand from facts §7. */
import type { PermissionName } from '../../src/schema/permission.ts';

export type Scope = 'root' | 'project' | 'environment';
export type Need = readonly [PermissionName, Scope];

const FLAG = '/projects/:projectId/features/:featureName';
const ENVIRONMENT = `${FLAG}/environments/:environment`;
export const BATCH = `PUT ${FLAG}/variants-batch`;
const MEMBER = '/projects/:projectId/users/:userId/roles/:roleId';

/** Facts §7; undefined: whoever is signed in. */
export const needs: Readonly<Record<string, Need | undefined>> = {
  'GET /projects': undefined,
  'GET /projects/:projectId': undefined,
  'GET /projects/:projectId/features': undefined,
  [`GET ${FLAG}`]: undefined,
  [`GET ${FLAG}/ownership`]: undefined,
  [`GET ${FLAG}/variants`]: undefined,
  [`GET ${ENVIRONMENT}`]: undefined,
  [`GET ${ENVIRONMENT}/strategies`]: undefined,
  [`GET ${ENVIRONMENT}/strategies/:strategyId`]: undefined,
  [`GET ${ENVIRONMENT}/variants`]: undefined,
  'GET /archive/features': undefined,
  'GET /archive/features/:projectId': undefined,
  'GET /feature-types': undefined,
  'GET /environments': undefined,
  'GET /environments/:environment': undefined,
  'GET /environments/project/:projectId': undefined,
  'GET /strategies': undefined,
  'GET /strategies/:strategyName': undefined,
  'GET /user-admin/search': undefined,
  'GET /search/events': undefined,
  'GET /search/events/export': undefined,
  'GET /events': undefined,
  'GET /events/:featureName': undefined,

  'POST /projects/:projectId/features': ['CREATE_FEATURE', 'project'],
  [`POST ${FLAG}/clone`]: ['CREATE_FEATURE', 'project'],
  [`PUT ${FLAG}`]: ['UPDATE_FEATURE', 'project'],
  [`PATCH ${FLAG}`]: ['UPDATE_FEATURE', 'project'],
  [`POST ${FLAG}/ownership`]: ['UPDATE_FEATURE', 'project'],
  'POST /archive/revive/:featureName': ['UPDATE_FEATURE', 'project'],
  [`DELETE ${FLAG}`]: ['DELETE_FEATURE', 'project'],
  'DELETE /archive/:featureName': ['DELETE_FEATURE', 'project'],
  [`POST ${ENVIRONMENT}/strategies`]: ['CREATE_FEATURE_STRATEGY', 'environment'],
  [`POST ${ENVIRONMENT}/strategies/set-sort-order`]: ['UPDATE_FEATURE_STRATEGY', 'environment'],
  [`PUT ${ENVIRONMENT}/strategies/:strategyId`]: ['UPDATE_FEATURE_STRATEGY', 'environment'],
  [`PATCH ${ENVIRONMENT}/strategies/:strategyId`]: ['UPDATE_FEATURE_STRATEGY', 'environment'],
  [`DELETE ${ENVIRONMENT}/strategies/:strategyId`]: ['DELETE_FEATURE_STRATEGY', 'environment'],
  [`POST ${ENVIRONMENT}/on`]: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
  [`POST ${ENVIRONMENT}/off`]: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
  [`PUT ${FLAG}/variants`]: ['UPDATE_FEATURE_VARIANTS', 'project'],
  [`PATCH ${FLAG}/variants`]: ['UPDATE_FEATURE_VARIANTS', 'project'],
  [`PUT ${ENVIRONMENT}/variants`]: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'environment'],
  [`PATCH ${ENVIRONMENT}/variants`]: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'environment'],
  // In each environment that the body names.
  [BATCH]: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'environment'],
  [`POST ${MEMBER}`]: ['UPDATE_PROJECT', 'project'],
  [`PUT ${MEMBER}`]: ['UPDATE_PROJECT', 'project'],
  [`DELETE ${MEMBER}`]: ['UPDATE_PROJECT', 'project'],
  'POST /projects/:projectId/environments': ['UPDATE_PROJECT', 'project'],
  'DELETE /projects/:projectId/environments/:environment': ['UPDATE_PROJECT', 'project'],

  'PUT /environments/sort-order': ['ADMIN', 'root'],
  'POST /environments/:environment/clone': ['ADMIN', 'root'],
  'POST /environments/:environment/on': ['ADMIN', 'root'],
  'POST /environments/:environment/off': ['ADMIN', 'root'],
  'GET /user-admin': ['ADMIN', 'root'],
  'POST /strategies': ['CREATE_STRATEGY', 'root'],
  'PUT /strategies/:strategyName': ['UPDATE_STRATEGY', 'root'],
  'POST /strategies/:strategyName/deprecate': ['UPDATE_STRATEGY', 'root'],
  'POST /strategies/:strategyName/reactivate': ['UPDATE_STRATEGY', 'root'],
  'DELETE /strategies/:strategyName': ['DELETE_STRATEGY', 'root'],
};
