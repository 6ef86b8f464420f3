/** The endpoints about segments and context fields. */
import { changedSegment, newSegment, segmentName } from './other-values.ts';
import { CREATES, type Rows, SIGNED_IN } from './row.ts';
import * as value from './values.ts';
import { taken } from './values.ts';

const segment = {
  description: 'd',
  project: null,
  constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'], caseInsensitive: false, inverted: false }],
};

export const segmentRows: Rows = {
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
