/** The endpoints about flags, their tags, strategies and variants. */
import { type Rows, SIGNED_IN } from './row.ts';

const FLAG = '/projects/:projectId/features/:featureName';
const PLACE = `${FLAG}/environments/:environment`;
const ownedField = '/projects/shop/features/held';
const on = `${ownedField}/environments/production`;
const off = `${ownedField}/environments/development`;
/** What every flag has. */
const tag = { type: 'simple', value: 'present' };
const variant = {
  name: 'blue',
  weightType: 'variable',
  weight: 1000,
  stickiness: 'default',
  payload: { type: 'string', value: 'b' },
  overrides: [{ contextName: 'userId', values: ['1'] }],
};
const strategy = {
  name: 'flexibleRollout',
  title: 'Staff first',
  disabled: false,
  sortOrder: 3,
  parameters: { rollout: 25, groupId: 'g', stickiness: 'default' },
  constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'], caseInsensitive: false, inverted: false }],
  variants: [variant],
  segments: [],
};

export const flagRows: Rows = {
  'GET /features/:featureName/tags': { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  'POST /features/:featureName/tags': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { type: 'simple', value: 'fresh' },
    dry: 'the tag would be there',
    unowned: 'adds to a set: see below',
  },
  'PUT /features/:featureName/tags': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { addedTags: [tag], removedTags: [{ ...tag }] },
    dry: 'there may be 100 at most',
    owned: {
      path: '/features/held/tags',
      body: { removedTags: [tag] },
      ownedField: 'spec.tags["simple:present"]',
    },
  },
  'DELETE /features/:featureName/tags/:type/:value': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    values: tag,
    dry: 'the tag would be gone',
    owned: {
      path: '/features/held/tags/simple/present',
      ownedField: 'spec.tags["simple:present"]',
    },
  },
  [`GET ${FLAG}/parents`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`POST ${FLAG}/dependencies`]: {
    need: ['UPDATE_FEATURE_DEPENDENCY', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { feature: 'for-reads', enabled: true, variants: ['blue'] },
    dry: 'archiving the parent would be refused',
    owned: { path: `${ownedField}/dependencies`, body: { feature: 'new-parent' }, ownedField: 'spec.dependencies' },
  },
  [`DELETE ${FLAG}/dependencies/:parent`]: {
    need: ['UPDATE_FEATURE_DEPENDENCY', 'project'],
    kubectl: ['patch featureflags FLAG'],
    values: { parent: 'for-reads' },
    dry: 'the dependency would be gone',
    owned: { path: `${ownedField}/dependencies/for-reads`, ownedField: 'spec.dependencies' },
  },
  [`DELETE ${FLAG}/dependencies`]: {
    need: ['UPDATE_FEATURE_DEPENDENCY', 'project'],
    kubectl: ['patch featureflags FLAG'],
    owned: { path: `${ownedField}/dependencies`, ownedField: 'spec.dependencies' },
  },
  'GET /features': { need: SIGNED_IN, kubectl: [] },
  // It tells of the naming pattern.
  'POST /features/validate': {
    need: SIGNED_IN,
    kubectl: ['get projects PROJECT'],
    body: { name: 'fresh', projectId: 'shop' },
    unowned: 'writes nothing',
  },
  'GET /search/features': { need: SIGNED_IN, kubectl: [] },
  'GET /projects/:projectId/features': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'POST /projects/:projectId/features': {
    need: ['CREATE_FEATURE', 'project'],
    kubectl: ['create featureflags'],
    body: { name: 'fresh', description: 'd', type: 'release', impressionData: false, stale: false },
    dry: 'the name would be taken',
    unowned: 'makes an object',
  },
  [`GET ${FLAG}`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`PUT ${FLAG}`]: {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { description: 'd', type: 'release', stale: false, impressionData: false },
    owned: { path: ownedField, body: { description: 'new' }, ownedField: 'spec.description' },
  },
  [`PATCH ${FLAG}`]: {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: [{ op: 'replace', path: '/description', value: 'd' }],
    owned: {
      path: ownedField,
      body: [{ op: 'replace', path: '/type', value: 'experiment' }],
      ownedField: 'spec.type',
    },
  },
  // The copy shows what the source holds.
  [`POST ${FLAG}/clone`]: {
    need: ['CREATE_FEATURE', 'project'],
    kubectl: ['create featureflags', 'get featureflags FLAG'],
    body: { name: 'fresh' },
    dry: 'the name would be taken',
    unowned: 'makes an object',
  },
  // Into the archive, which is a field of the flag.
  [`DELETE ${FLAG}`]: {
    need: ['DELETE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    dry: 'the flag would be in the archive',
    owned: { path: ownedField, ownedField: 'spec.archived' },
  },
  [`POST ${PLACE}/on`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    owned: { path: `${off}/on`, ownedField: 'spec.environments.development.enabled' },
  },
  [`POST ${PLACE}/off`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    owned: { path: `${on}/off`, ownedField: 'spec.environments.production.enabled' },
  },
  [`GET ${PLACE}`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`GET ${PLACE}/strategies`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`POST ${PLACE}/strategies`]: {
    need: ['CREATE_FEATURE_STRATEGY', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: strategy,
    dry: 'there may be 30 at most',
    unowned: 'adds to a map: see below',
  },
  [`POST ${PLACE}/strategies/set-sort-order`]: {
    need: ['UPDATE_FEATURE_STRATEGY', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: [{ id: 'one', sortOrder: 1 }],
    owned: {
      path: `${on}/strategies/set-sort-order`,
      body: [{ id: 'one', sortOrder: 7 }],
      ownedField: 'spec.environments.production.strategies.one.sortOrder',
    },
  },
  [`GET ${PLACE}/strategies/:strategyId`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`PUT ${PLACE}/strategies/:strategyId`]: {
    need: ['UPDATE_FEATURE_STRATEGY', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: strategy,
    owned: {
      path: `${on}/strategies/one`,
      body: { name: 'default', title: 'new', sortOrder: 0, disabled: false },
      ownedField: 'spec.environments.production.strategies.one.title',
    },
  },
  [`PATCH ${PLACE}/strategies/:strategyId`]: {
    need: ['UPDATE_FEATURE_STRATEGY', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: [{ op: 'replace', path: '/title', value: 't' }],
    owned: {
      path: `${on}/strategies/one`,
      body: [{ op: 'replace', path: '/title', value: 'new' }],
      ownedField: 'spec.environments.production.strategies.one.title',
    },
  },
  [`DELETE ${PLACE}/strategies/:strategyId`]: {
    need: ['DELETE_FEATURE_STRATEGY', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    dry: 'the strategy would be gone',
    owned: {
      path: `${on}/strategies/one`,
      ownedField: 'spec.environments.production.strategies.one',
    },
  },
  [`GET ${FLAG}/ownership`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`POST ${FLAG}/ownership`]: {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: {},
    unowned: 'changes no value',
  },
  [`GET ${FLAG}/variants`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`PUT ${FLAG}/variants`]: {
    need: ['UPDATE_FEATURE_VARIANTS', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: [variant],
    owned: { path: `${ownedField}/variants`, body: [{ name: 'red' }], ownedField: 'spec.variants' },
  },
  [`PATCH ${FLAG}/variants`]: {
    need: ['UPDATE_FEATURE_VARIANTS', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: [{ op: 'replace', path: '/0/stickiness', value: 'userId' }],
    owned: {
      path: `${ownedField}/variants`,
      body: [{ op: 'add', path: '/-', value: { name: 'red' } }],
      ownedField: 'spec.variants',
    },
  },
  // In each environment that the body names.
  [`PUT ${FLAG}/variants-batch`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: { variants: [variant], environments: ['production'] },
    owned: {
      path: `${ownedField}/variants-batch`,
      body: { variants: [{ name: 'red' }], environments: ['production'] },
      ownedField: 'spec.environments.production.variants',
    },
  },
  [`GET ${PLACE}/variants`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`PUT ${PLACE}/variants`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: [variant],
    owned: {
      path: `${on}/variants`,
      body: [{ name: 'red' }],
      ownedField: 'spec.environments.production.variants',
    },
  },
  [`PATCH ${PLACE}/variants`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: [{ op: 'replace', path: '/0/stickiness', value: 'userId' }],
    owned: {
      path: `${on}/variants`,
      body: [{ op: 'replace', path: '/0/stickiness', value: 'userId' }],
      ownedField: 'spec.environments.production.variants',
    },
  },
  'GET /archive/features': { need: SIGNED_IN, kubectl: [] },
  'GET /archive/features/:projectId': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'POST /archive/revive/:featureName': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags ARCHIVED'],
    archived: true,
    dry: 'the flag would be out of the archive',
    owned: { path: '/archive/revive/stowed', ownedField: 'spec.archived' },
  },
  'DELETE /archive/:featureName': {
    need: ['DELETE_FEATURE', 'project'],
    kubectl: ['delete featureflags ARCHIVED'],
    archived: true,
    dry: 'the flag would be gone',
    unowned: 'deletes an object',
  },
};
