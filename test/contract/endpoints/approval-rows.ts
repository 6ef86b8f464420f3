/** The endpoints about change requests. */
import { CREATES, type Rows, SIGNED_IN } from './row.ts';
import type { ValueRow } from './values.ts';
import * as value from './values.ts';

const INVALID = '400 ValidationError';

const states: readonly ValueRow[] = [
  ...value.required,
  // The caller of the tables is no user.
  ['Rejected', '"Rejected"', '403 PermissionError'],
  ...['"Applied"', '"approved"', '""', '1', '{}'].map((json): ValueRow => [json, json, INVALID]),
];
const comments: readonly ValueRow[] = [
  ...value.notNull,
  ['a text', '"fine"', 'good'],
  ['a long text', JSON.stringify('x'.repeat(1001)), INVALID],
  ['a number', '1', INVALID],
];

const texts: readonly ValueRow[] = [
  ...value.required,
  ['a text', '"fine"', 'good'],
  ['an empty text', '""', INVALID],
  ['a long text', JSON.stringify('x'.repeat(1001)), INVALID],
  ['a number', '1', INVALID],
];

export const approvalRows: Rows = {
  'GET /change-requests': { need: SIGNED_IN, kubectl: [] },
  'GET /projects/:projectId/change-requests': { need: SIGNED_IN, kubectl: ['list changerequests'] },
  'GET /projects/:projectId/change-requests/config': { need: SIGNED_IN, kubectl: ['get projects PROJECT'] },
  'GET /projects/:projectId/change-requests/count': { need: SIGNED_IN, kubectl: ['list changerequests'] },
  'GET /projects/:projectId/change-requests/:id': { need: SIGNED_IN, kubectl: ['get changerequests change-for-reads'] },
  'GET /projects/:projectId/change-requests/:id/effects': {
    need: SIGNED_IN,
    kubectl: ['get changerequests change-for-reads', 'get featureflags FLAG'],
  },
  'POST /projects/:projectId/change-requests/:id/comments': {
    body: { text: 'c' },
    properties: { text: texts },
    ofUsers: true,
    unversioned: CREATES,
    unowned: 'no tool owns a comment',
  },
  'PUT /projects/:projectId/change-requests/:id/state': {
    body: { state: 'Cancelled', comment: 'c' },
    dry: 'a request ends only once',
    properties: { state: states, comment: comments },
    unversioned: CREATES,
    unowned: 'no tool owns a request',
  },
};
