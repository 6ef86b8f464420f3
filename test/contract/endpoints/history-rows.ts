/** The endpoints about past times; restore.test.ts makes calls with times that the history knows. */
import { pointInTime } from './flag-values.ts';
import { type Rows, SIGNED_IN } from './row.ts';
import * as value from './values.ts';

const INVALID = '400 ValidationError';
const at = '2020-01-01T00:00:00Z';
const time = [...value.required, ...pointInTime];
const gap = [...value.notNull, ...value.word('after')];
const gone = { segmentName: 'no-such' };
const shared = {
  finds: 'no history',
  dry: 'the time is before the history',
  unowned: 'restore.test.ts has the call',
  strict: true,
} as const;

export const historyRows: Rows = {
  // Without a query there is no time, which is said before flags are authorized; past.test.ts asks with a time.
  'GET /projects/:projectId/diff': { finds: 'no history', need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'GET /history/projects/:projectId': { need: SIGNED_IN, kubectl: ['get projects PROJECT', 'list flagusers'] },
  'GET /history/segments/:segmentName': {
    need: SIGNED_IN,
    kubectl: ['get segments EVERYWHERE'],
    finds: 'nothing',
    values: gone,
  },
  'GET /history/environments/:environment': { need: SIGNED_IN, kubectl: ['get environments ENVIRONMENT'] },
  'GET /history/strategies/:strategyName': { need: SIGNED_IN, kubectl: ['get strategydefinitions country'] },
  'POST /projects/:projectId/features/:featureName/restore': {
    ...shared,
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { at },
    properties: { at: time, inGap: gap, uid: [...value.notNull, ['a number', '1', INVALID]] },
    unversioned: 'restore.test.ts has the call',
  },
  'POST /projects/:projectId/restore': {
    ...shared,
    need: ['UPDATE_FEATURE', 'project'],
    kubectl: ['patch featureflags FLAG'],
    body: { at, features: ['FLAG'] },
    properties: {
      at: time,
      inGap: gap,
      features: [...value.notNull, ['none', '[]', INVALID], ['a text', '"x"', INVALID]],
    },
    unversioned: 'is about several flags',
  },
};
