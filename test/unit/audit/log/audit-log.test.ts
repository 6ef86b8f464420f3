/** The audit log of the API server when a listener throws. */
import { expect, test } from 'vitest';
import type { LoggedWrite, LogStore } from '../../../../src/audit/archive/witnesses/logged-writes.ts';
import { createAuditLog } from '../../../../src/audit/log/audit-log.ts';
import { fakeClock } from '../../../support/fake-clock.ts';

const metadata = { name: 'f', namespace: 'shop', uid: 'u', resourceVersion: '7', generation: 1 };
const event = {
  ...{
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: 'a',
    stage: 'ResponseComplete',
  },
  ...{ requestURI: '/x', verb: 'patch', user: { username: 'ada' }, sourceIPs: [], responseStatus: { code: 200 } },
  objectRef: { resource: 'featureflags', namespace: 'shop', name: 'f', apiGroup: 'vexil.dev' },
  responseObject: { metadata, spec: {} },
  ...{ requestReceivedTimestamp: '2026-03-01T12:00:00.1Z', stageTimestamp: '2026-03-01T12:00:00.2Z' },
};

test('the sender gets its answer, and the other listeners know of the batch', async () => {
  const [mistake, faults, stored] = [new Error('mistake'), [] as unknown[], [] as LoggedWrite[]];
  const add: LogStore['add'] = async (writes) => stored.push(...writes);
  const log = createAuditLog({
    archive: { cursors: async () => [], log: { add } as LogStore },
    ...{ file: undefined, clock: fakeClock(), backoff: () => 0, now: () => 0, count: () => undefined },
    onFault: (error) => faults.push(error),
  });
  const seen: number[] = [];
  log.onTaken(() => {
    throw mistake;
  });
  log.onTaken(() => seen.push(stored.length));
  await log.take([event]);
  expect([seen, faults]).toEqual([[1], [mistake]]);
});
