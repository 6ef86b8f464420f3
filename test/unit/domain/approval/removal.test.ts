/** When change requests that have ended, and decisions on them, are removed. */
import { expect, test } from 'vitest';
import { type Retention, removalOfDecision, removalOfRequest } from '../../../../src/domain/approval/removal.ts';
import { CREATED, decisionObject, requestObject } from '../objects.ts';

const DAY_MS = 24 * 3_600_000;
const [ENDED, LATER] = ['2026-02-01T00:00:00Z', '2026-02-11T00:00:00Z'];
const ended = requestObject('shop/checkout-1', {}, { status: { phase: 'Rejected', endedAt: ENDED } });
const last = (days: number) => Date.parse(ENDED) + days * DAY_MS;
const retention = (days: number, more: Partial<Retention> = {}): Retention => ({
  ...{ retentionMs: 90 * DAY_MS, recordedUntil: last(days), now: last(days) },
  ...more,
});

test.each<[string, ReturnType<typeof removalOfRequest>, object]>([
  ['stays for its time', removalOfRequest(ended, [], retention(89)), { recheckInMs: DAY_MS }],
  ['then goes', removalOfRequest(ended, [], retention(90)), { removal: expect.stringContaining('it is Rejected') }],
  ['stays for ever with off', removalOfRequest(ended, [], retention(9000, { retentionMs: undefined })), {}],
  [
    'stays until the history has its end',
    removalOfRequest(ended, [], retention(90, { recordedUntil: last(0) })),
    { recheckInMs: 60_000 },
  ],
  [
    'stays while the history does not follow',
    removalOfRequest(ended, [], retention(90, { recordedUntil: undefined })),
    { recheckInMs: 60_000 },
  ],
  [
    'stays if it cannot be read',
    removalOfRequest({ ...requestObject('shop/a', { environments: 7 }), status: ended.status }, [], retention(90)),
    {},
  ],
  [
    'stays without a known end',
    removalOfRequest(requestObject('shop/a', {}, { status: { phase: 'Applied' } }), [], retention(90)),
    {},
  ],
  [
    'stays while it is open',
    removalOfRequest(requestObject('shop/a', {}, { status: { phase: 'Approved', endedAt: ENDED } }), [], retention(90)),
    {},
  ],
])('a request %s', (_, removal, want) => {
  expect(removal).toEqual(want);
});

test('a comment keeps the request that has ended', () => {
  const comment = decisionObject(
    'shop/comment',
    ended,
    { decision: 'Comment', comment: 'Why?' },
    { creationTimestamp: LATER },
  );
  expect(removalOfRequest(ended, [comment], retention(90))).toEqual({ recheckInMs: 10 * DAY_MS });
});

test('a decision whose request is gone stays for the same time', () => {
  const decision = decisionObject('shop/one', ended);
  const at = Date.parse(CREATED) + 90 * DAY_MS;
  const removalAt = (now: number) => removalOfDecision(decision, { retentionMs: 90 * DAY_MS, recordedUntil: now, now });
  expect([removalAt(at - 1), removalAt(at)]).toEqual([{ recheckInMs: 1 }, { removal: 'the change request is gone' }]);
});
