/** The writes that an event of the audit log reports, and what is no write. */
import { describe, expect, test } from 'vitest';
import type { LoggedWrite } from '../../../../src/audit/archive/witnesses/logged-writes.ts';
import { readAuditEvent } from '../../../../src/audit/log/read-event.ts';

const metadata = { name: 'f', namespace: 'shop', uid: 'uid-1', resourceVersion: '77', generation: 3 };

const anEvent = (changes: object = {}) => ({
  ...{
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: 'a-1',
    stage: 'ResponseComplete',
  },
  requestURI: '/apis/vexil.dev/v1alpha1/namespaces/shop/featureflags/f?fieldManager=kubectl-edit',
  verb: 'patch',
  user: { username: 'ada', groups: ['system:authenticated'] },
  sourceIPs: ['198.51.100.9', '203.0.113.7'],
  userAgent: 'kubectl/v1.36.3 (linux/amd64) kubernetes/abc',
  objectRef: { resource: 'featureflags', namespace: 'shop', name: 'f', apiGroup: 'vexil.dev', apiVersion: 'v1alpha1' },
  responseStatus: { metadata: {}, code: 200 },
  requestObject: { spec: { description: 'x' } },
  responseObject: { metadata, spec: { description: 'x' } },
  requestReceivedTimestamp: '2026-03-01T12:00:00.123456Z',
  stageTimestamp: '2026-03-01T12:00:00.130000Z',
  ...changes,
});

const writesOf = (changes?: object): readonly LoggedWrite[] => {
  const read = readAuditEvent(anEvent(changes));
  return read.is === 'write' ? read.writes : [];
};

describe('a write', () => {
  test('has its user, the address of its connection, its tool, and the object after it', () => {
    const [write] = writesOf();
    expect(write).toMatchObject({ id: 'a-1', uid: 'uid-1', revision: 77, generation: 3, username: 'ada' });
    expect(write).toMatchObject({ ip: '203.0.113.7', fieldManager: 'kubectl-edit', impersonatedBy: null });
    expect(write?.receivedAt).toBe(Date.parse('2026-03-01T12:00:00.123Z'));
    const object = JSON.parse(write?.object ?? '');
    expect(object.spec).toEqual({ description: 'x' });
    expect(object.metadata.managedFields).toMatchObject([
      { manager: 'kubectl-edit', time: '2026-03-01T12:00:00.123Z' },
    ]);
  });

  test('of an impersonated user names both', () => {
    expect(writesOf({ impersonatedUser: { username: 'bob' } })[0]).toMatchObject({
      username: 'bob',
      impersonatedBy: 'ada',
    });
  });

  test('without the query has the program as its field manager', () => {
    expect(writesOf({ requestURI: '/x' })[0]?.fieldManager).toBe('kubectl');
    expect(writesOf({ requestURI: '/x', userAgent: undefined })[0]?.fieldManager).toBe(null);
  });

  test('keeps no object that is too large', () => {
    const spec = { description: 'x'.repeat(3 * 1024 * 1024) };
    expect(writesOf({ responseObject: { metadata, spec } })[0]).toMatchObject({ revision: 77, object: null });
  });
});

describe('a deletion', () => {
  const status = { kind: 'Status', status: 'Success', details: { name: 'f', uid: 'uid-1' } };

  test('has the uid of the status, or of the object that waits for its finalizers', () => {
    const gone = { verb: 'delete', requestObject: { kind: 'DeleteOptions' } };
    expect(writesOf({ ...gone, responseObject: status })).toMatchObject([
      { uid: 'uid-1', revision: null, object: null },
    ]);
    expect(writesOf(gone)).toMatchObject([{ uid: 'uid-1', revision: null, object: null }]);
  });

  test('needs no body', () => {
    const { requestObject: _, ...event } = anEvent({ verb: 'delete', responseObject: status });
    expect(readAuditEvent(event)).toMatchObject({ is: 'write', writes: [{ uid: 'uid-1' }] });
  });

  test('of several has an id for each', () => {
    const items = ['one', 'two'].map((uid) => ({ metadata: { ...metadata, uid } }));
    const writes = writesOf({ verb: 'deletecollection', responseObject: { kind: 'FeatureFlagList', items } });
    expect(writes.map(({ id, uid }) => [id, uid])).toEqual([
      ['a-1/one', 'one'],
      ['a-1/two', 'two'],
    ]);
  });
});

test.each([
  ['a read', { verb: 'get' }],
  ['an earlier stage', { stage: 'RequestReceived' }],
  ['a refused write', { responseStatus: { code: 409 } }],
  ['a write without an answer', { responseStatus: undefined }],
  ['a status', { objectRef: { ...anEvent().objectRef, subresource: 'status' } }],
  ['an object of others', { objectRef: { ...anEvent().objectRef, apiGroup: 'apps' } }],
  ['a kind that is not there', { objectRef: { ...anEvent().objectRef, resource: 'odd' } }],
  ['a dry run', { requestURI: '/x?dryRun=All' }],
  ['a dry run of a deletion, by its body', { verb: 'delete', requestObject: { dryRun: ['All'] } }],
])('%s is no write', (_, changes) => {
  expect(readAuditEvent(anEvent(changes))).toEqual({ is: 'other' });
});

test.each([
  ['nothing', undefined],
  ['a text', 'x'],
  ['no time', anEvent({ stageTimestamp: 'yesterday' })],
  ['no user', anEvent({ user: {} })],
  ['another version', anEvent({ apiVersion: 'audit.k8s.io/v1beta1' })],
  ['no object', anEvent({ responseObject: undefined })],
  ['an object without a version', anEvent({ responseObject: { metadata: { ...metadata, resourceVersion: 'x' } } })],
  ['a name that is too long', anEvent({ user: { username: 'x'.repeat(1_001) } })],
])('%s is unreadable', (_, event) => {
  expect(readAuditEvent(event)).toEqual({ is: 'unreadable' });
});
