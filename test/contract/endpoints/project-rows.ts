/** The endpoints about projects, their members and environments, and several flags of one. */
import { type Rows, SIGNED_IN } from './row.ts';

const BULK = '/projects/:projectId/bulk_features/environments/:environment';
const MEMBER = '/projects/:projectId/users/:userId/roles/:roleId';
/** What every flag has. */
const tag = { type: 'simple', value: 'present' };

export const projectRows: Rows = {
  'GET /projects': { need: SIGNED_IN, kubectl: [] },
  'POST /projects': {
    need: ['CREATE_PROJECT', 'root'],
    kubectl: ['create projects'],
    body: {
      id: 'fresh',
      name: 'Fresh',
      description: 'd',
      defaultStickiness: 'userId',
      mode: 'open',
      featureLimit: null,
    },
    dry: 'the id would be taken',
    unowned: 'makes an object',
  },
  'POST /projects/validate': {
    need: ['CREATE_PROJECT', 'root'],
    kubectl: ['create projects'],
    body: { id: 'fresh' },
    unowned: 'writes nothing',
  },
  'GET /projects/:projectId': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'PUT /projects/:projectId': {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT'],
    body: { name: 'Shop', description: 'd', defaultStickiness: 'userId', mode: 'open', featureLimit: null },
    owned: { path: '/projects/git', body: { name: 'New' }, ownedField: 'spec.displayName' },
  },
  'DELETE /projects/:projectId': {
    values: { projectId: 'empty' },
    dry: 'the project would be gone',
    unowned: 'deletes an object',
  },
  'GET /projects/:projectId/overview': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'GET /projects/:projectId/health-report': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  // Each that the body names.
  'POST /projects/:projectId/archive': {
    need: ['DELETE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { features: ['bulk'] },
    dry: 'the flag would be in the archive',
    owned: {
      path: '/projects/shop/archive',
      body: { features: ['held'] },
      ownedField: 'spec.archived',
    },
  },
  'POST /projects/:projectId/revive': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags ARCHIVED'],
    body: { features: ['bulk-stowed'] },
    dry: 'it would be out of the archive',
    owned: {
      path: '/projects/shop/revive',
      body: { features: ['stowed', 'held'] },
      ownedField: 'spec.archived',
    },
  },
  'POST /projects/:projectId/delete': {
    need: ['DELETE_FEATURE', 'project'],
    kubectl: ['delete featureflags ARCHIVED'],
    body: { features: ['bulk-stowed'] },
    dry: 'the flag would be gone',
    unowned: 'deletes objects',
  },
  'POST /projects/:projectId/stale': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { features: ['bulk'], stale: true },
    owned: {
      path: '/projects/shop/stale',
      body: { features: ['held'], stale: true },
      ownedField: 'spec.stale',
    },
  },
  'PUT /projects/:projectId/tags': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { features: ['bulk'], tags: { addedTags: [tag], removedTags: [{ ...tag }] } },
    dry: 'there may be 100 at most',
    owned: {
      path: '/projects/shop/tags',
      body: { features: ['held'], tags: { removedTags: [tag] } },
      ownedField: 'spec.tags["simple:present"]',
    },
  },
  [`POST ${BULK}/on`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: { features: ['bulk'] },
    owned: {
      path: '/projects/shop/bulk_features/environments/development/on',
      body: { features: ['held'] },
      ownedField: 'spec.environments.development.enabled',
    },
  },
  [`POST ${BULK}/off`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: { features: ['bulk'] },
    owned: {
      path: '/projects/shop/bulk_features/environments/production/off',
      body: { features: ['held'] },
      ownedField: 'spec.environments.production.enabled',
    },
  },
  'GET /environments': { need: SIGNED_IN, kubectl: ['list environments'] },
  // Each that the body names.
  'PUT /environments/sort-order': {
    need: ['ADMIN', 'root'],
    kubectl: ['patch environments production'],
    body: { production: 2 },
    owned: { path: '/environments/sort-order', body: { staging: 9 }, ownedField: 'spec.sortOrder' },
  },
  'GET /environments/:environment': { need: SIGNED_IN, kubectl: ['get environments production'] },
  // An Environment that says `clone` is all that kubectl needs, too: the flags are the operator's to write.
  'POST /environments/:environment/clone': {
    need: ['ADMIN', 'root'],
    kubectl: ['create environments'],
    body: { name: 'fresh', type: 'test', projects: ['shop'], clonePermissions: true },
    dry: 'the name would be taken',
    unowned: 'makes an object, and the operator writes: see below',
  },
  'POST /environments/:environment/on': {
    need: ['ADMIN', 'root'],
    kubectl: ['patch environments production'],
    owned: { path: '/environments/asleep/on', ownedField: 'spec.enabled' },
  },
  'POST /environments/:environment/off': {
    need: ['ADMIN', 'root'],
    kubectl: ['patch environments production'],
    dry: 'no other project would use it',
    owned: { path: '/environments/staging/off', ownedField: 'spec.enabled' },
  },
  'GET /environments/project/:projectId': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'POST /projects/:projectId/environments': {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT'],
    body: { environment: 'elsewhere' },
    dry: 'it would be there already',
    unowned: 'adds to a set: see below',
  },
  'DELETE /projects/:projectId/environments/:environment': {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT'],
    dry: 'it would be gone',
    owned: {
      path: '/projects/git/environments/production',
      ownedField: 'spec.environments["production"]',
    },
  },
  // The path names a user by id.
  [`POST ${MEMBER}`]: {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT', 'list flagusers'],
    values: { userId: '3' },
    dry: 'the user would be in the project already',
    unowned: 'adds to a map: see below',
  },
  [`PUT ${MEMBER}`]: {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT', 'list flagusers'],
    owned: { path: '/projects/git/users/2/roles/4', ownedField: 'spec.members.lin' },
  },
  [`DELETE ${MEMBER}`]: {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT', 'list flagusers'],
    dry: 'the member would be gone',
    owned: { path: '/projects/git/users/2/roles/5', ownedField: 'spec.members.lin' },
  },
};
