/** The other endpoints. */
import { metadata } from './flag-values.ts';
import { expiry, past, tokenName, typeFields } from './other-values.ts';
import { CREATES, type Rows, SIGNED_IN } from './row.ts';
import * as value from './values.ts';
import { type Properties, taken, type ValueRow, within } from './values.ts';

const INVALID = '400 ValidationError';

const strategyType = {
  displayName: 'Country',
  description: 'd',
  parameters: [{ name: 'countries', type: 'list', description: 'd', required: true }],
};

const notThere: readonly ValueRow[] = [
  ['one that there is not', '"no-such"', '404 NotFoundError'],
  ['__proto__', '"__proto__"', '404 NotFoundError'],
];
const batch = {
  project: 'shop',
  environment: 'production',
  data: { features: [{ name: 'fresh' }], featureStrategies: [] },
};
const rowsOfBatch: readonly ValueRow[] = [
  ['an object', '{}', INVALID],
  ['a list of texts', '["x"]', INVALID],
];
const batchPlace: Properties = {
  project: [...value.required, ...notThere, ['a number', '1', INVALID]],
  environment: [...value.required, ...notThere, ['a number', '1', INVALID]],
  data: [...value.required, ['a list', '[]', INVALID]],
  'data/features': [...value.required, ...rowsOfBatch],
  'data/featureStrategies': [...value.required, ...rowsOfBatch],
};

export const otherRows: Rows = {
  'GET /ui-config': { need: SIGNED_IN, kubectl: [] },
  'GET /notification-sinks': { need: SIGNED_IN, kubectl: [] },
  'GET /feature-types': { need: SIGNED_IN, kubectl: [] },
  'GET /strategies': { need: SIGNED_IN, kubectl: ['list strategydefinitions'] },
  'POST /strategies': {
    need: ['CREATE_STRATEGY', 'root'],
    kubectl: ['create strategydefinitions'],
    body: { name: 'fresh', ...strategyType },
    dry: 'the name would be taken',
    properties: {
      name: [
        ...value.required,
        ...value.name,
        ...['for-reads', 'default', 'flexibleRollout'].map(taken),
        ['a built-in one in capitals', '"DEFAULT"', INVALID],
      ],
      ...typeFields,
    },
    unversioned: CREATES,
    unowned: 'makes an object',
  },
  'GET /strategies/:strategyName': { need: SIGNED_IN, kubectl: ['get strategydefinitions country'] },
  'PUT /strategies/:strategyName': {
    need: ['UPDATE_STRATEGY', 'root'],
    kubectl: ['patch strategydefinitions country'],
    body: strategyType,
    properties: {
      name: [
        ...value.nullable,
        ['another name', '"renamed"', INVALID],
        ['one that there is', '"default"', INVALID],
        ['90 kB', JSON.stringify('x'.repeat(90_000)), INVALID],
        ['a number', '1', INVALID],
        ['an object', '{}', INVALID],
      ],
      ...typeFields,
    },
    versions: ['GET /strategies/:strategyName'],
    owned: {
      path: '/strategies/country',
      body: { description: 'new', parameters: [] },
      ownedField: 'spec.description',
    },
  },
  'DELETE /strategies/:strategyName': {
    need: ['DELETE_STRATEGY', 'root'],
    kubectl: ['delete strategydefinitions country'],
    dry: 'the strategy type would be gone',
    outcome: 'gone',
    versions: ['GET /strategies/:strategyName'],
    unowned: 'deletes an object',
  },
  'POST /strategies/:strategyName/deprecate': {
    need: ['UPDATE_STRATEGY', 'root'],
    kubectl: ['patch strategydefinitions country'],
    versions: ['GET /strategies/:strategyName'],
    owned: { path: '/strategies/country/deprecate', ownedField: 'spec.deprecated' },
  },
  'POST /strategies/:strategyName/reactivate': {
    need: ['UPDATE_STRATEGY', 'root'],
    kubectl: ['patch strategydefinitions country'],
    outcome: 'same',
    versions: ['GET /strategies/:strategyName'],
    owned: { path: '/strategies/old/reactivate', ownedField: 'spec.deprecated' },
  },
  'GET /search/events': { need: SIGNED_IN, kubectl: [] },
  'GET /search/events/export': { need: SIGNED_IN, kubectl: [] },
  'GET /events': { need: SIGNED_IN, kubectl: [] },
  'GET /events/:featureName': { need: SIGNED_IN, kubectl: [] },
  'GET /history/chain': { need: ['ADMIN', 'root'], kubectl: ['list flagusers'] },
  'GET /history/heads': { need: ['ADMIN', 'root'], kubectl: ['list flagusers'] },
  'GET /changes': { need: SIGNED_IN, kubectl: [] },
  'GET /state/export': {
    need: ['ADMIN', 'root'],
    kubectl: ['list featureflags', 'list environments', 'list strategydefinitions', 'list segments'],
  },
  // The caller also needs what each of the writes needs.
  'POST /state/import': {
    need: ['ADMIN', 'root'],
    kubectl: ['create featureflags'],
    body: { version: 1, features: [{ name: 'fresh', project: 'shop' }] },
    dry: 'the flag would be there already',
    properties: {
      version: [...value.nullable, ['one to come', '5', INVALID], ['a text', '"1"', INVALID], ['0', '0', INVALID]],
      features: [...value.nullable, ['an object', '{}', INVALID], ['a text', '"x"', INVALID]],
      'features/0/name': [...value.required, ...value.name],
      'features/0/project': [
        ['one that there is not', '"no-such"', INVALID],
        ['__proto__', '"__proto__"', INVALID],
        ['none, which is default, which there is not', 'null', INVALID],
        ['a number', '1', INVALID],
      ],
      ...within('features/0', metadata),
    },
    strict: true,
    unversioned: 'no version of any one object is compared',
    unowned: 'writes whatever its document says: see below',
  },
  'POST /history/forget': {
    need: ['ADMIN', 'root'],
    kubectl: ['delete flagusers'],
    body: { user: 'no-such-person', emails: ['no-such@example.com'], position: 'versions:' },
    properties: {
      user: [
        ...value.required,
        ['empty', '""', INVALID],
        ['blank', '" "', INVALID],
        ['a ServiceAccount', '"system:serviceaccount:argocd:argocd"', INVALID],
        ['nobody', '"unknown"', INVALID],
        ['254 characters', JSON.stringify('x'.repeat(254)), INVALID],
        ['half of a surrogate pair', '"\\ud83d"', INVALID],
        ['a zero', '"a\\u0000b"', 'good'],
        ['a number', '1', INVALID],
      ],
      emails: [
        ...value.notNull,
        ['none', '[]', 'good'],
        ['an empty one', '[""]', INVALID],
        ['21', JSON.stringify(Array.from({ length: 21 }, (_, index) => `a${index}@example.com`)), INVALID],
        ['a text', '"x"', INVALID],
      ],
      position: [
        ...value.notNull,
        ['no phase', '"x"', INVALID],
        ['of the end', '"file:"', 'good'],
        ['no number', '"entries:x"', INVALID],
        ['a number', '1', INVALID],
      ],
    },
    strict: true,
    unversioned: CREATES,
    unowned: 'writes no object',
  },
  'POST /features-batch/export': {
    need: SIGNED_IN,
    kubectl: [],
    body: { environment: 'production', features: [], tag: 'present', project: 'shop', downloadFile: false },
    properties: {
      environment: [...value.required, ...notThere, ['a number', '1', INVALID]],
      features: [
        ...value.notNull,
        ['one that there is not', '["no-such"]', '404 NotFoundError'],
        ['a text', '"x"', INVALID],
      ],
      tag: [...value.notNull, ['one that there is not', '"no-such"', 'good'], ['a number', '1', INVALID]],
      project: [...value.notNull, ['one that there is not', '"no-such"', 'good'], ['a number', '1', INVALID]],
      downloadFile: [...value.nullable, ['a text', '"x"', INVALID]],
    },
    unversioned: CREATES,
    unowned: 'writes nothing',
  },
  'POST /features-batch/validate': {
    need: ['ADMIN', 'root'],
    kubectl: ['create featureflags'],
    body: batch,
    properties: batchPlace,
    unversioned: CREATES,
    unowned: 'writes nothing',
  },
  // The caller also needs what each of the writes needs.
  'POST /features-batch/import': {
    need: ['ADMIN', 'root'],
    kubectl: ['create featureflags'],
    body: batch,
    dry: 'the flag would be there already',
    properties: { ...batchPlace, 'data/features/0/name': [...value.required, ...value.name] },
    unversioned: CREATES,
    unowned: 'writes what its body says: features-batch.test.ts',
  },
  'GET /user-admin': { need: ['ADMIN', 'root'], kubectl: ['list flagusers'] },
  'GET /user-admin/search': { need: SIGNED_IN, kubectl: ['list flagusers'] },
  'GET /user-admin/:userId': { need: ['ADMIN', 'root'], kubectl: ['get flagusers lin'] },
  'GET /roles': { need: SIGNED_IN, kubectl: ['list flagroles'] },
  'GET /roles/:roleId': { need: ['ADMIN', 'root'], kubectl: ['get flagroles'] },
  'GET /permissions': { need: SIGNED_IN, kubectl: ['list environments'] },
  'GET /user': { need: SIGNED_IN, kubectl: [] },
  'GET /user/permissions': { need: SIGNED_IN, kubectl: [] },
  'GET /api-tokens': {},
  'GET /api-tokens/:tokenName': {},
  'POST /api-tokens': {
    body: {
      tokenName: 'fresh',
      username: 'fresh',
      type: 'client',
      environment: 'production',
      project: 'shop',
      projects: ['shop'],
      expiresAt: '2999-01-01T00:00:00.000Z',
    },
    dry: 'the name would be taken',
    properties: {
      tokenName: [...value.nullable, ...tokenName, taken('for-reads')],
      username: [...value.nullable, ...tokenName.filter(([, , want]) => want === 'good')],
      type: [
        ...value.required,
        ...value.word('client').filter(([what]) => what !== 'in capitals'),
        ['in capitals', '"CLIENT"', 'good'],
        ['another type, of another scope', '"admin"', INVALID],
        ['personal', '"personal"', INVALID],
      ],
      environment: [
        ...value.required,
        ...['*', '', 'no-such', '__proto__', 'constructor', 'Production'].map(
          (one): ValueRow => [JSON.stringify(one), JSON.stringify(one), INVALID],
        ),
        ['a number', '1', INVALID],
        ['a list', '["production"]', INVALID],
      ],
      project: [
        ...value.nullable,
        ['another than in projects', '"pay"', INVALID],
        ['all', '"*"', INVALID],
        ['a number', '1', INVALID],
      ],
      projects: [
        ...value.nullable,
        ['none', '[]', INVALID],
        ['one that there is not', '["no-such"]', INVALID],
        ['__proto__', '["__proto__"]', INVALID],
        ['all beside others', '["*","shop"]', INVALID],
        ['a number in it', '[1]', INVALID],
        ['a text', '"shop"', INVALID],
        ['101 items', JSON.stringify(Array.from({ length: 101 }, () => 'shop')), INVALID],
      ],
      expiresAt: [['left out', undefined, 'good'], ...expiry, past],
    },
    unversioned: CREATES,
    unowned: 'makes an object',
  },
  'PUT /api-tokens/:tokenName': {
    body: { expiresAt: '2999-01-01T00:00:00.000Z' },
    properties: {
      expiresAt: [['left out', undefined, INVALID], ...expiry, [past[0], past[1], 'good']],
    },
    versions: ['GET /api-tokens/:tokenName'],
    owned: {
      path: '/api-tokens/token',
      body: { expiresAt: '2998-01-01T00:00:00.000Z' },
      ownedField: 'spec.expiresAt',
    },
  },
  'DELETE /api-tokens/:tokenName': {
    dry: 'the token would be gone',
    outcome: 'gone',
    versions: ['GET /api-tokens/:tokenName'],
    unowned: 'deletes an object',
  },
};
