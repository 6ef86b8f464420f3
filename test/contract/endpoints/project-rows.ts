/** The endpoints about projects, their members and environments, and several flags of one. */
import { tagLists } from './flag-values.ts';
import { names, projectFields } from './project-values.ts';
import { CREATES, type Rows, SIGNED_IN } from './row.ts';
import * as value from './values.ts';
import { taken, type ValueRow, within } from './values.ts';

const INVALID = '400 ValidationError';
const MISSING = '404 NotFoundError';
const missing = (what: string): ValueRow[] => [[what, '1', MISSING]];

const BULK = '/projects/:projectId/bulk_features/environments/:environment';
const MEMBER = '/projects/:projectId/users/:userId/roles/:roleId';
/** The reads that show a project. */
const PROJECT_READS = [
  'GET /projects/:projectId',
  'GET /projects/:projectId/overview',
  'GET /projects/:projectId/health-report',
];
/** The reads that show the flags of a project. */
const LIST_READS = [
  'GET /projects/:projectId/features',
  'GET /projects/:projectId',
  'GET /archive/features/:projectId',
];
/** A tag that every flag has. */
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
    properties: {
      id: [...value.required, ...value.name, taken('shop'), taken('pay')],
      ...projectFields,
    },
    unversioned: CREATES,
    unowned: 'makes an object',
  },
  'POST /projects/validate': {
    need: ['CREATE_PROJECT', 'root'],
    kubectl: ['create projects'],
    body: { id: 'fresh' },
    properties: { id: [...value.required, ...value.name, taken('shop')] },
    unversioned: CREATES,
    unowned: 'writes nothing',
  },
  'GET /projects/:projectId': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'PUT /projects/:projectId': {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT'],
    body: { name: 'Shop', description: 'd', defaultStickiness: 'userId', mode: 'open', featureLimit: null },
    properties: projectFields,
    versions: PROJECT_READS,
    owned: { path: '/projects/git', body: { name: 'New' }, ownedField: 'spec.displayName' },
  },
  'PUT /projects/:projectId/settings': {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT'],
    body: { mode: 'open', featureNaming: { pattern: '(?s).*', example: 'any', description: 'd' }, linkTemplates: [] },
    properties: {
      mode: projectFields['mode'] ?? [],
      'featureNaming/pattern': [...value.nullable, ['no expression', '"("', INVALID]],
      'featureNaming/example': [...value.nullable, ...value.text(100)],
      'featureNaming/description': [...value.nullable, ...value.text(1000)],
      linkTemplates: [...value.nullable, ['a template', '[{}]', INVALID]],
    },
    versions: PROJECT_READS,
    owned: {
      path: '/projects/git/settings',
      body: { featureNaming: { pattern: 'git-.+' } },
      ownedField: 'spec.flagNaming.pattern',
    },
  },
  'DELETE /projects/:projectId': {
    values: { projectId: 'empty' },
    dry: 'the project would be gone',
    outcome: 'gone',
    versions: PROJECT_READS,
    unowned: 'deletes an object',
  },
  'GET /projects/:projectId/overview': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'GET /projects/:projectId/health-report': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  // The caller needs the permission for each flag that the body names.
  'POST /projects/:projectId/archive': {
    need: ['DELETE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { features: ['FLAG'] },
    dry: 'the flag would be in the archive',
    properties: { features: names('bulk') },
    versions: LIST_READS,
    owned: {
      path: '/projects/shop/archive',
      body: { features: ['held'] },
      ownedField: 'spec.archived',
    },
  },
  'POST /projects/:projectId/revive': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags ARCHIVED'],
    archived: true,
    body: { features: ['ARCHIVED'] },
    dry: 'it would be out of the archive',
    properties: { features: names('bulk-stowed') },
    versions: LIST_READS,
    owned: {
      path: '/projects/shop/revive',
      body: { features: ['stowed', 'held'] },
      ownedField: 'spec.archived',
    },
  },
  'POST /projects/:projectId/delete': {
    need: ['DELETE_FEATURE', 'project'],
    kubectl: ['delete featureflags ARCHIVED'],
    archived: true,
    body: { features: ['ARCHIVED'] },
    dry: 'the flag would be gone',
    properties: {
      features: [...names('bulk-stowed'), ['one that is not archived', '["bulk-stowed","bulk"]', MISSING]],
    },
    outcome: 'gone',
    versions: LIST_READS,
    unowned: 'deletes objects',
  },
  'POST /projects/:projectId/stale': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { features: ['FLAG'], stale: true },
    properties: {
      features: [...names('bulk'), ['one that is archived', '["bulk","bulk-stowed"]', MISSING]],
      stale: [...value.nullable, ...value.flag],
    },
    versions: LIST_READS,
    owned: {
      path: '/projects/shop/stale',
      body: { features: ['held'], stale: true },
      ownedField: 'spec.stale',
    },
  },
  'PUT /projects/:projectId/tags': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { features: ['FLAG'], tags: { addedTags: [tag], removedTags: [{ ...tag }] } },
    dry: 'there may be 100 at most',
    properties: {
      features: names('bulk'),
      tags: [
        ...value.required,
        ['an empty object', '{}', 'good'],
        ['a list', '[]', INVALID],
        ['a text', '"x"', INVALID],
      ],
      ...within('tags', tagLists),
    },
    outcome: 'same',
    versions: LIST_READS,
    owned: {
      path: '/projects/shop/tags',
      body: { features: ['held'], tags: { removedTags: [tag] } },
      ownedField: 'spec.tags["simple:present"]',
    },
  },
  [`POST ${BULK}/on`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: { features: ['FLAG'] },
    properties: { features: names('bulk') },
    versions: LIST_READS,
    owned: {
      path: '/projects/shop/bulk_features/environments/development/on',
      body: { features: ['held'] },
      ownedField: 'spec.environments.development.enabled',
    },
  },
  [`POST ${BULK}/off`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: { features: ['FLAG'] },
    properties: {
      features: [...names('bulk'), ['one that is archived', '["bulk","bulk-stowed"]', '400 ArchivedFeatureError']],
    },
    versions: LIST_READS,
    owned: {
      path: '/projects/shop/bulk_features/environments/production/off',
      body: { features: ['held'] },
      ownedField: 'spec.environments.production.enabled',
    },
  },
  'GET /environments': { need: SIGNED_IN, kubectl: ['list environments'] },
  // The caller needs the permission for each environment that the body names.
  'PUT /environments/sort-order': {
    need: ['ADMIN', 'root'],
    kubectl: ['patch environments production'],
    body: { ENVIRONMENT: 3 },
    properties: {
      production: value.integer(2_147_483_647),
      'no-such': missing('an environment that there is not'),
      constructor: missing('the name of what every object has'),
    },
    versions: ['GET /environments'],
    owned: { path: '/environments/sort-order', body: { staging: 9 }, ownedField: 'spec.sortOrder' },
  },
  'GET /environments/:environment': { need: SIGNED_IN, kubectl: ['get environments production'] },
  // kubectl only needs to create an Environment with `clone` in its spec: the operator writes the flags.
  'POST /environments/:environment/clone': {
    need: ['ADMIN', 'root'],
    kubectl: ['create environments'],
    body: { name: 'fresh', type: 'test', projects: ['shop'], clonePermissions: true },
    dry: 'the name would be taken',
    properties: {
      name: [...value.required, ...value.name],
      type: [...value.required, ...value.term(50)],
      projects: [
        ...value.nullable,
        ['one that there is not', '["no-such"]', INVALID],
        ['__proto__', '["__proto__"]', INVALID],
        ['a number in it', '[1]', INVALID],
        ['a text', '"shop"', INVALID],
      ],
      clonePermissions: [...value.nullable, ...value.flag],
    },
    unversioned: CREATES,
    unowned: 'makes an object, and the operator writes: see below',
  },
  'POST /environments/:environment/on': {
    need: ['ADMIN', 'root'],
    kubectl: ['patch environments production'],
    values: { environment: 'elsewhere' },
    versions: ['GET /environments/:environment'],
    owned: { path: '/environments/asleep/on', ownedField: 'spec.enabled' },
  },
  'POST /environments/:environment/off': {
    need: ['ADMIN', 'root'],
    kubectl: ['patch environments production'],
    dry: 'no other project would use it',
    versions: ['GET /environments/:environment'],
    owned: { path: '/environments/staging/off', ownedField: 'spec.enabled' },
  },
  'GET /environments/project/:projectId': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'POST /projects/:projectId/environments': {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT'],
    body: { environment: 'elsewhere' },
    dry: 'it would be there already',
    properties: {
      environment: [
        ...value.required,
        ['one that there is not', '"no-such"', MISSING],
        ['one that the project uses already', '"production"', '409 NameExistsError'],
        ['__proto__', '"__proto__"', MISSING],
        ['constructor', '"constructor"', MISSING],
        ['a number', '1', INVALID],
        ['a list', '["production"]', INVALID],
      ],
    },
    versions: ['GET /environments/project/:projectId', 'GET /projects/:projectId'],
    unowned: 'adds to a set: see below',
  },
  'DELETE /projects/:projectId/environments/:environment': {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT'],
    dry: 'it would be gone',
    versions: ['GET /environments/project/:projectId', 'GET /projects/:projectId'],
    owned: {
      path: '/projects/git/environments/production',
      ownedField: 'spec.environments["production"]',
    },
  },
  'GET /projects/:projectId/access': { need: SIGNED_IN, kubectl: ['get projects PROJECT', 'list flagusers'] },
  // The path names a user by id.
  [`POST ${MEMBER}`]: {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT', 'list flagusers'],
    values: { userId: '3' },
    dry: 'the user would be in the project already',
    versions: ['GET /projects/:projectId/access', 'GET /projects/:projectId'],
    unowned: 'adds to a map: see below',
  },
  [`PUT ${MEMBER}`]: {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT', 'list flagusers'],
    outcome: 'same',
    versions: ['GET /projects/:projectId/access', 'GET /projects/:projectId'],
    owned: { path: '/projects/git/users/2/roles/4', ownedField: 'spec.members.lin' },
  },
  [`DELETE ${MEMBER}`]: {
    need: ['UPDATE_PROJECT', 'project'],
    kubectl: ['patch projects PROJECT', 'list flagusers'],
    dry: 'the member would be gone',
    versions: ['GET /projects/:projectId/access', 'GET /projects/:projectId'],
    owned: { path: '/projects/git/users/2/roles/5', ownedField: 'spec.members.lin' },
  },
};
