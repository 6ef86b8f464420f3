/** Specs about approvals at both sides of each rule, pattern and bound. */
import { fits, long, many, manyKeys, refused } from './spec-row.ts';

const having = (approvals: object) => ({ approvals });

export const approvalsRows = [
  fits('one approval', having({ required: 1 })),
  refused('approvals without their number', having({}), ['spec.approvals.required', 'Required']),
  fits('five approvals', having({ required: 5, selfApproval: true, exempt: [] })),
  refused('no approval', having({ required: 0 }), ['spec.approvals.required', 'greater than or equal to 1']),
  refused('six approvals', having({ required: 6 }), ['spec.approvals.required', 'less than or equal to 5']),
  fits('an exempt group', having({ required: 1, exempt: [{ kind: 'Group', name: 'deployers' }] })),
  fits(
    'an exempt ServiceAccount',
    having({ required: 1, exempt: [{ kind: 'ServiceAccount', name: 'flux', namespace: 'flux-system' }] }),
  ),
  refused(
    'an exempt ServiceAccount of no namespace',
    having({ required: 1, exempt: [{ kind: 'ServiceAccount', name: 'flux' }] }),
    ['spec.approvals.exempt[0]', 'a ServiceAccount needs a namespace'],
  ),
  refused(
    'an exempt user of a namespace',
    having({ required: 1, exempt: [{ kind: 'User', name: 'ada', namespace: 'shop' }] }),
    ['spec.approvals.exempt[0]', 'a User or Group has none'],
  ),
  refused(
    'twenty-one exempt users',
    having({ required: 1, exempt: many(21, (n) => ({ kind: 'User', name: `u${n}` })) }),
    ['spec.approvals.exempt', '20'],
  ),
];

const request = {
  target: { kind: 'FeatureFlag', name: 'checkout' },
  environments: { production: { enabled: true } },
  author: { kind: 'User', name: 'ada' },
};
const asking = (spec: object) => ({ ...request, ...spec });

export const changeRequestRows = [
  fits('a request', request),
  fits('a request for no entry', asking({ environments: { production: {} } })),
  refused('a request for no environment', asking({ environments: {} }), [
    'spec.environments',
    'names at least one environment',
  ]),
  refused('a request for an environment of no name', asking({ environments: { 'a b': {} } }), [
    'spec.environments',
    'must be URL friendly',
  ]),
  refused('a request for twenty-five environments', asking({ environments: manyKeys(25, {}) }), [
    'spec.environments',
    '24',
  ]),
  fits('a request about a Project', {
    ...{ target: { kind: 'Project', name: 'shop' }, author: request.author },
    project: { environments: ['production'], members: { ada: 'owner' } },
  }),
  fits('a request about an Environment', {
    ...{ target: { kind: 'Environment', name: 'production' }, author: request.author },
    environment: { enabled: false, protected: true, freezes: [], approvals: { required: 2 } },
  }),
  refused('a request about a Project with values of a flag', asking({ target: { kind: 'Project', name: 'shop' } }), [
    'spec',
    'a request has the values of its target',
  ]),
  refused('a request about a FeatureFlag with values of a Project', asking({ project: {} }), [
    'spec',
    'a request has the values of its target',
  ]),
  refused('a request about a FlagRole', asking({ target: { kind: 'FlagRole', name: 'approver' } }), [
    'spec.target.kind',
    'Unsupported value',
  ]),
  refused('a request without an author', asking({ author: undefined }), ['spec.author', 'Required']),
  refused('a request of a Group', asking({ author: { kind: 'Group', name: 'a' } }), [
    'spec.author.kind',
    'Unsupported value',
  ]),
  refused('a reason too long', asking({ reason: long(1001) }), ['spec.reason', '1000']),
  refused('a time without a zone', asking({ applyAt: '2026-01-31T12:00:00' }), ['spec.applyAt', 'should match']),
];

const approval = {
  request: { name: 'checkout-1', uid: 'u' },
  environments: ['production'],
  approver: { kind: 'User', name: 'bob' },
};

export const changeApprovalRows = [
  fits('an approval', approval),
  fits('a rejection', { ...approval, decision: 'Reject', comment: 'Not now', groups: ['sre'] }),
  fits('a comment', { ...approval, environments: [], decision: 'Comment', comment: 'Why now?' }),
  refused('a comment without a text', { ...approval, decision: 'Comment' }, ['spec', 'needs a comment']),
  refused('a decision of another kind', { ...approval, decision: 'Maybe' }, ['spec.decision', 'Unsupported value']),
  refused('an approval of no request', { ...approval, request: undefined }, ['spec.request', 'Required']),
  refused('an approval for nine environments', { ...approval, environments: many(9, (n) => `e${n}`) }, [
    'spec.environments',
    '8',
  ]),
  refused('an approval for an environment twice', { ...approval, environments: ['a', 'a'] }, [
    'spec.environments[1]',
    'Duplicate value',
  ]),
];
