/** The endpoints about segments, context fields and evaluations. */
import { pointInTime } from './flag-values.ts';
import { changedSegment, newSegment, segmentName } from './other-values.ts';
import { CREATES, type Rows, SIGNED_IN } from './row.ts';
import * as value from './values.ts';
import { taken, type ValueRow } from './values.ts';

const INVALID = '400 ValidationError';

const segment = {
  description: 'd',
  project: null,
  constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'], caseInsensitive: false, inverted: false }],
};

const at: readonly ValueRow[] = [...value.notNull, ...pointInTime];

const context = { appName: 'shop', userId: 'ada', properties: { region: 'eu' } };
const projects: readonly ValueRow[] = [
  ...value.optional,
  ['all', '"*"', 'good'],
  ['one that there is not', '["no-such"]', 'good'],
  ['__proto__', '["__proto__"]', 'good'],
  ...['null', '"shop"', '""', '[]', '1', '{}', '[null]'].map((json): ValueRow => [json, json, INVALID]),
];
const contexts: readonly ValueRow[] = [
  ...value.required,
  ['an empty object', '{}', 'good'],
  ['numbers, booleans, null and lists', '{"userId":1,"beta":true,"gone":null,"list":[1]}', 'good'],
  ['odd names', '{"constructor":1,"prototype":1,"":1}', 'good'],
  ['properties that are a list', '{"properties":["a"]}', 'good'],
  ['a long value', JSON.stringify({ userId: 'x'.repeat(2000) }), INVALID],
  ['201 values', JSON.stringify(Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`p${n}`, n]))), INVALID],
  ['a text', '"x"', INVALID],
  ['a list', '[]', INVALID],
];
const MISSING = '404 NotFoundError';
const missing: readonly ValueRow[] = [
  ['one that there is not', '"no-such"', MISSING],
  ['__proto__', '"__proto__"', MISSING],
  ['an empty text', '""', MISSING],
  ['a number', '1', INVALID],
  ['a list', '["shop"]', INVALID],
];

export const segmentRows: Rows = {
  'POST /playground': {
    need: SIGNED_IN,
    kubectl: [],
    body: { environment: 'ENVIRONMENT', projects: ['PROJECT'], context, at: '2999-01-01T00:00:00Z' },
    properties: {
      environment: [
        ...value.required,
        ['one that there is not', '"no-such"', MISSING],
        ['__proto__', '"__proto__"', MISSING],
        ['an empty text', '""', INVALID],
        ['a number', '1', INVALID],
        ['a list', '["production"]', INVALID],
      ],
      projects,
      context: contexts,
      at,
    },
    unversioned: CREATES,
    unowned: 'writes nothing',
  },
  'POST /playground/advanced': {
    need: SIGNED_IN,
    kubectl: [],
    body: { environments: ['ENVIRONMENT'], projects: ['PROJECT'], context, at: '2999-01-01T00:00:00Z' },
    properties: {
      environments: [
        ...value.required,
        ['one twice', '["production","production"]', 'good'],
        ['one that there is not', '["production","no-such"]', MISSING],
        ['none', '[]', INVALID],
        ['a text', '"production"', INVALID],
        ['an empty text', '[""]', INVALID],
        ['31 items', JSON.stringify(Array.from({ length: 31 }, () => 'production')), INVALID],
      ],
      projects,
      context: [...contexts, ['101 values', JSON.stringify({ userId: [...Array(101).keys()].join(',') }), INVALID]],
      at,
    },
    unversioned: CREATES,
    unowned: 'writes nothing',
  },
  'GET /projects/:projectId/features/:featureName/evaluate': { need: SIGNED_IN, kubectl: ['get featureflags FLAG'] },
  'GET /segments': { need: SIGNED_IN, kubectl: [] },
  'POST /segments': {
    need: ['CREATE_SEGMENT', 'root'],
    kubectl: ['create segments'],
    body: { name: 'fresh', ...segment },
    dry: 'the name would be taken',
    properties: newSegment,
    unversioned: CREATES,
    unowned: 'makes an object',
  },
  'POST /segments/validate': {
    need: SIGNED_IN,
    kubectl: [],
    body: { name: 'fresh' },
    properties: { name: [...value.required, ...segmentName, taken('for-reads')] },
    unversioned: CREATES,
    unowned: 'writes nothing',
  },
  'POST /segments/strategies': {
    need: ['UPDATE_FEATURE_STRATEGY', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: { projectId: 'PROJECT', environmentId: 'ENVIRONMENT', strategyId: 'STRATEGY', segmentIds: [] },
    properties: {
      projectId: [...value.required, ...missing],
      environmentId: [...value.required, ...missing],
      strategyId: [...value.required, ...missing],
      segmentIds: [
        ...value.required,
        ['one that there is not', '[4711]', MISSING],
        ['none', '[]', 'good'],
        ['six', '[1,2,3,4,5,6]', INVALID],
        ['a text', '"7"', INVALID],
        ['a text in it', '["7"]', INVALID],
        ['a decimal in it', '[1.5]', INVALID],
      ],
    },
    versions: ['GET /projects/:projectId/features/:featureName'],
    outcome: 'same',
    unowned: 'names a strategy by an id that differs for each flag: segments.test.ts',
  },
  'GET /segments/strategies/:strategyId': { need: SIGNED_IN, kubectl: [] },
  'GET /segments/:segmentId': { need: SIGNED_IN, kubectl: ['get segments vip'] },
  'PUT /segments/:segmentId': {
    need: ['UPDATE_SEGMENT', 'root'],
    kubectl: ['patch segments vip'],
    body: segment,
    properties: changedSegment,
    versions: ['GET /segments/:segmentId'],
    owned: { path: '/segments/7', body: { description: 'new' }, ownedField: 'spec.description' },
  },
  'DELETE /segments/:segmentId': {
    need: ['DELETE_SEGMENT', 'root'],
    kubectl: ['delete segments vip'],
    dry: 'the segment would be gone',
    outcome: 'gone',
    versions: ['GET /segments/:segmentId'],
    unowned: 'deletes an object',
  },
  'GET /segments/:segmentId/strategies': { need: SIGNED_IN, kubectl: ['get segments vip'] },
  'GET /context': { need: SIGNED_IN, kubectl: [] },
  'GET /context/:contextField': { need: SIGNED_IN, kubectl: [], values: { contextField: 'userId' } },
};
