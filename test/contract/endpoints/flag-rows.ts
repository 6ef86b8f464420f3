/** The endpoints about flags, their tags, strategies and variants. */
import { metadata, strategy as strategyFields, strategyName, tagFields, tagLists, variantsIn } from './flag-values.ts';
import { CREATES, type Rows, SIGNED_IN } from './row.ts';
import * as value from './values.ts';
import { taken } from './values.ts';

const INVALID = '400 ValidationError';
const MISSING = '404 NotFoundError';

const FLAG = '/projects/:projectId/features/:featureName';
const PLACE = `${FLAG}/environments/:environment`;
const ownedField = '/projects/shop/features/held';
const on = `${ownedField}/environments/production`;
const off = `${ownedField}/environments/development`;
/** A tag that every flag has. */
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
    properties: {
      ...tagFields,
      value: [...(tagFields['value'] ?? []), ['one that is there', '"present"', '409 FeatureHasTagError']],
    },
    unversioned: CREATES,
    unowned: 'adds to a set: see below',
  },
  'PUT /features/:featureName/tags': {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { addedTags: [tag], removedTags: [{ ...tag }] },
    dry: 'there may be 100 at most',
    properties: tagLists,
    outcome: 'same',
    versions: [`GET ${FLAG}`, 'GET /features/:featureName/tags'],
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
    outcome: 'gone',
    versions: [`GET ${FLAG}`, 'GET /features/:featureName/tags'],
    owned: {
      path: '/features/held/tags/simple/present',
      ownedField: 'spec.tags["simple:present"]',
    },
  },
  [`GET ${FLAG}/parents`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`GET ${FLAG}/parent-variants`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  'GET /projects/:projectId/dependencies': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  [`POST ${FLAG}/dependencies`]: {
    need: ['UPDATE_FEATURE_DEPENDENCY', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { feature: 'PARENT', enabled: true, variants: ['blue'] },
    dry: 'archiving the parent would be refused',
    properties: {
      feature: [
        ...value.required,
        ['one that there is not', '"no-such"', '403 InvalidOperationError'],
        ['__proto__', '"__proto__"', '403 InvalidOperationError'],
        ['a name that is none', '"a b"', INVALID],
        ['a number', '1', INVALID],
      ],
      enabled: [...value.nullable, ...value.flag],
      variants: [...value.nullable, ...value.listOf((n) => `v${n}`, 100)],
    },
    versions: [`GET ${FLAG}`],
    owned: { path: `${ownedField}/dependencies`, body: { feature: 'new-parent' }, ownedField: 'spec.dependencies' },
  },
  [`DELETE ${FLAG}/dependencies/:parent`]: {
    need: ['UPDATE_FEATURE_DEPENDENCY', 'project'],
    kubectl: ['patch featureflags FLAG'],
    values: { parent: 'for-reads' },
    dry: 'the dependency would be gone',
    versions: [`GET ${FLAG}`],
    owned: { path: `${ownedField}/dependencies/for-reads`, ownedField: 'spec.dependencies' },
  },
  [`DELETE ${FLAG}/dependencies`]: {
    need: ['UPDATE_FEATURE_DEPENDENCY', 'project'],
    kubectl: ['patch featureflags FLAG'],
    versions: [`GET ${FLAG}`],
    owned: { path: `${ownedField}/dependencies`, ownedField: 'spec.dependencies' },
  },
  'GET /features': { need: SIGNED_IN, kubectl: [] },
  // The answer discloses the naming pattern.
  'POST /features/validate': {
    need: SIGNED_IN,
    kubectl: ['get projects PROJECT'],
    body: { name: 'fresh', projectId: 'PROJECT' },
    properties: {
      name: [...value.required, ...value.name, taken('for-reads'), taken('bulk-stowed')],
      projectId: [
        ...value.nullable,
        ['one that there is not', '"no-such"', MISSING],
        ['__proto__', '"__proto__"', MISSING],
        ['a number', '1', INVALID],
        ['a list', '["shop"]', INVALID],
      ],
    },
    unversioned: CREATES,
    unowned: 'writes nothing',
  },
  'GET /search/features': { need: SIGNED_IN, kubectl: [] },
  'GET /projects/:projectId/features': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'POST /projects/:projectId/features': {
    need: ['CREATE_FEATURE', 'project'],
    kubectl: ['create featureflags'],
    body: { name: 'fresh', description: 'd', type: 'release', impressionData: false, stale: false },
    dry: 'the name would be taken',
    properties: { name: [...value.required, ...value.name], ...metadata },
    unversioned: CREATES,
    unowned: 'makes an object',
  },
  [`GET ${FLAG}`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`GET ${FLAG}/status`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`PUT ${FLAG}`]: {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { description: 'd', type: 'release', stale: false, impressionData: false },
    properties: {
      name: [
        ...value.nullable,
        ['another name', '"renamed"', INVALID],
        ['90 kB', JSON.stringify('x'.repeat(90_000)), INVALID],
        ['a number', '1', INVALID],
        ['an object', '{}', INVALID],
      ],
      ...metadata,
    },
    versions: [`GET ${FLAG}`],
    owned: { path: ownedField, body: { description: 'new' }, ownedField: 'spec.description' },
  },
  [`PATCH ${FLAG}`]: {
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: [{ op: 'replace', path: '/description', value: 'd' }],
    versions: [`GET ${FLAG}`],
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
    properties: { name: [...value.required, ...value.name] },
    unversioned: CREATES,
    unowned: 'makes an object',
  },
  // The endpoint moves the flag to the archive, which is a field of the flag.
  [`DELETE ${FLAG}`]: {
    need: ['DELETE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    dry: 'the flag would be in the archive',
    versions: [`GET ${FLAG}`],
    owned: { path: ownedField, ownedField: 'spec.archived' },
  },
  [`POST ${PLACE}/on`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    versions: [`GET ${FLAG}`],
    owned: { path: `${off}/on`, ownedField: 'spec.environments.development.enabled' },
  },
  [`POST ${PLACE}/off`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    versions: [`GET ${FLAG}`],
    owned: { path: `${on}/off`, ownedField: 'spec.environments.production.enabled' },
  },
  [`GET ${PLACE}`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`GET ${PLACE}/strategies`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`POST ${PLACE}/strategies`]: {
    need: ['CREATE_FEATURE_STRATEGY', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: strategy,
    dry: 'there may be 30 at most',
    properties: { name: [...value.required, ...strategyName], ...strategyFields },
    strict: true,
    versions: [`GET ${FLAG}`, `GET ${PLACE}/strategies`],
    unowned: 'adds to a map: see below',
  },
  [`POST ${PLACE}/strategies/set-sort-order`]: {
    need: ['UPDATE_FEATURE_STRATEGY', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: [{ id: 'one', sortOrder: 1 }],
    properties: {
      '0/id': [
        ...value.required,
        ['one that there is not', '"no-such"', MISSING],
        ['__proto__', '"__proto__"', MISSING],
        ['constructor', '"constructor"', MISSING],
        ['101 characters', JSON.stringify('x'.repeat(101)), INVALID],
        ['a number', '1', INVALID],
      ],
      '0/sortOrder': [...value.required, ...value.integer(2_147_483_647)],
      '0': [
        ['one that is there twice', '{"id":"one","sortOrder":1},{"id":"one","sortOrder":2}', INVALID],
        ['null', 'null', INVALID],
      ],
    },
    strict: true,
    versions: [`GET ${FLAG}`, `GET ${PLACE}/strategies`],
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
    properties: { name: [...value.nullable, ...strategyName], ...strategyFields },
    strict: true,
    versions: [`GET ${FLAG}`, `GET ${PLACE}/strategies/:strategyId`],
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
    versions: [`GET ${FLAG}`, `GET ${PLACE}/strategies/:strategyId`],
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
    outcome: 'gone',
    versions: [`GET ${FLAG}`, `GET ${PLACE}/strategies/:strategyId`],
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
    properties: {
      fields: [
        ['left out', undefined, 'good'],
        ['null', 'null', INVALID],
        ['none', '[]', INVALID],
        ['no field of the flag', '["spec.nope"]', INVALID],
        ['__proto__', '["__proto__"]', INVALID],
        ['one that kubectl applies on the client', '["spec.project"]', '403 OperationDeniedError'],
        ['an empty text', '[""]', INVALID],
        ['2,001 characters', `["${'x'.repeat(2001)}"]`, INVALID],
        ['1,001 items', JSON.stringify(Array.from({ length: 1001 }, () => 'spec.project')), INVALID],
        ['a number in it', '[1]', INVALID],
        ['a text', '"spec.project"', INVALID],
        ['an object', '{"0":"spec.project"}', INVALID],
      ],
    },
    strict: true,
    outcome: 'same',
    versions: [`GET ${FLAG}`, `GET ${FLAG}/ownership`],
    unowned: 'changes no value',
  },
  [`GET ${FLAG}/variants`]: { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  [`PUT ${FLAG}/variants`]: {
    need: ['UPDATE_FEATURE_VARIANTS', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: [variant],
    properties: variantsIn('', 100),
    strict: true,
    versions: [`GET ${FLAG}`, `GET ${FLAG}/variants`],
    owned: { path: `${ownedField}/variants`, body: [{ name: 'red' }], ownedField: 'spec.variants' },
  },
  [`PATCH ${FLAG}/variants`]: {
    need: ['UPDATE_FEATURE_VARIANTS', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: [{ op: 'replace', path: '/0/stickiness', value: 'userId' }],
    versions: [`GET ${FLAG}`, `GET ${FLAG}/variants`],
    owned: {
      path: `${ownedField}/variants`,
      body: [{ op: 'add', path: '/-', value: { name: 'red' } }],
      ownedField: 'spec.variants',
    },
  },
  // The caller needs the permission in each environment that the body names.
  [`PUT ${FLAG}/variants-batch`]: {
    need: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: { variants: [variant], environments: ['ENVIRONMENT'] },
    properties: {
      ...variantsIn('variants', 80),
      environments: [
        ...value.required,
        ['none', '[]', INVALID],
        ['one that there is not', '["no-such"]', MISSING],
        ['one that the project does not use', '["production","elsewhere"]', MISSING],
        ['__proto__', '["__proto__"]', MISSING],
        ['one twice', '["production","production"]', 'good'],
        ['one 30 times', JSON.stringify(Array.from({ length: 30 }, () => 'production')), 'good'],
        ['31 that there are not', JSON.stringify(Array.from({ length: 31 }, (_, n) => `e${n}`)), INVALID],
        ['a number in it', '[1]', INVALID],
        ['a text', '"production"', INVALID],
        ['an object', '{"0":"production"}', INVALID],
      ],
    },
    strict: true,
    versions: [`GET ${PLACE}/variants`, `GET ${FLAG}`],
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
    properties: variantsIn('', 80),
    strict: true,
    versions: [`GET ${PLACE}/variants`, `GET ${FLAG}`],
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
    versions: [`GET ${PLACE}/variants`, `GET ${FLAG}`],
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
    versions: [],
    owned: { path: '/archive/revive/stowed', ownedField: 'spec.archived' },
  },
  'DELETE /archive/:featureName': {
    need: ['DELETE_FEATURE', 'project'],
    kubectl: ['delete featureflags ARCHIVED'],
    archived: true,
    dry: 'the flag would be gone',
    versions: [],
    unowned: 'deletes an object',
  },
};
