/** The endpoints about everything else. */
import { type Rows, SIGNED_IN } from './row.ts';

const strategyType = {
  displayName: 'Country',
  description: 'd',
  parameters: [{ name: 'countries', type: 'list', description: 'd', required: true }],
};

export const otherRows: Rows = {
  'GET /ui-config': { need: SIGNED_IN, kubectl: [] },
  'GET /feature-types': { need: SIGNED_IN, kubectl: [] },
  'GET /strategies': { need: SIGNED_IN, kubectl: ['list strategydefinitions'] },
  'POST /strategies': {
    need: ['CREATE_STRATEGY', 'root'],
    kubectl: ['create strategydefinitions'],
    body: { name: 'fresh', ...strategyType },
    dry: 'the name would be taken',
    unowned: 'makes an object',
  },
  'GET /strategies/:strategyName': { need: SIGNED_IN, kubectl: ['get strategydefinitions country'] },
  'PUT /strategies/:strategyName': {
    need: ['UPDATE_STRATEGY', 'root'],
    kubectl: ['patch strategydefinitions country'],
    body: strategyType,
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
    unowned: 'deletes an object',
  },
  'POST /strategies/:strategyName/deprecate': {
    need: ['UPDATE_STRATEGY', 'root'],
    kubectl: ['patch strategydefinitions country'],
    owned: { path: '/strategies/country/deprecate', ownedField: 'spec.deprecated' },
  },
  'POST /strategies/:strategyName/reactivate': {
    need: ['UPDATE_STRATEGY', 'root'],
    kubectl: ['patch strategydefinitions country'],
    owned: { path: '/strategies/old/reactivate', ownedField: 'spec.deprecated' },
  },
  'GET /search/events': { need: SIGNED_IN, kubectl: [] },
  'GET /search/events/export': { need: SIGNED_IN, kubectl: [] },
  'GET /events': { need: SIGNED_IN, kubectl: [] },
  'GET /events/:featureName': { need: SIGNED_IN, kubectl: [] },
  'GET /state/export': {
    need: ['ADMIN', 'root'],
    kubectl: ['list featureflags', 'list environments', 'list strategydefinitions'],
  },
  // Beside what each of its writes needs.
  'POST /state/import': {
    need: ['ADMIN', 'root'],
    kubectl: ['create featureflags'],
    body: { version: 1, features: [{ name: 'fresh', project: 'shop' }] },
    dry: 'the flag would be there already',
    unowned: 'writes whatever its document says: see below',
  },
  'GET /user-admin': { need: ['ADMIN', 'root'], kubectl: ['list flagusers'] },
  'GET /user-admin/search': { need: SIGNED_IN, kubectl: ['list flagusers'] },
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
    unowned: 'makes an object',
  },
  'PUT /api-tokens/:tokenName': {
    body: { expiresAt: '2999-01-01T00:00:00.000Z' },
    owned: {
      path: '/api-tokens/token',
      body: { expiresAt: '2998-01-01T00:00:00.000Z' },
      ownedField: 'spec.expiresAt',
    },
  },
  'DELETE /api-tokens/:tokenName': { dry: 'the token would be gone', unowned: 'deletes an object' },
};
