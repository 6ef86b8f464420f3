/** What a write in the audit log says about an entry. */
import { describe, expect, test } from 'vitest';
import type { WitnessedEntry, WriteFacts } from '../../../../src/audit/archive/witnesses/logged-writes.ts';
import { MAX_CLOCK_SKEW_MS, witnessesOf } from '../../../../src/audit/log/attribute.ts';

const NOW = 1_700_000_000_000;
const SELF = 'system:serviceaccount:vexil-system:vexil';

const aWrite = (changes: Partial<WriteFacts> = {}): WriteFacts => ({
  ...{ id: 'a-1', resource: 'featureflags', namespace: 'shop', uid: 'uid-1', revision: 7, generation: 2 },
  ...{ receivedAt: NOW - 20, completedAt: NOW - 10, username: 'ada', impersonatedBy: null, ip: '203.0.113.7' },
  ...{ userAgent: 'kubectl/v1.36.3', fieldManager: 'kubectl-edit', ...changes },
});

const anEntry = (changes: Partial<WitnessedEntry['entry']> = {}): WitnessedEntry['entry'] => ({
  ...{ id: 1, type: 'feature-updated', createdAt: NOW, createdBy: 'ada', createdByUserId: -1 },
  ...{ channel: 'kubernetes', fieldManager: null, witness: undefined, ...changes },
});

const judge = (write: Partial<WriteFacts>, entry: Partial<WitnessedEntry['entry']>) =>
  witnessesOf([{ write: aWrite(write), entry: anEntry(entry) }], {
    people: { userBySubject: () => undefined },
    self: SELF,
  })[0];

test.each([
  ['the same user', {}, {}, true, 'ada'],
  ['another user', { username: 'bob' }, {}, false, 'bob'],
  ['nobody', {}, { createdBy: 'unknown', channel: null }, true, 'ada'],
  ['a program', {}, { createdBy: 'field manager kubectl-edit' }, true, 'ada'],
  ['a caller of the API, for whom Vexil wrote', { username: SELF }, { createdBy: 'eva', channel: 'api' }, true, 'eva'],
  ['an anonymous caller of the API', { username: SELF }, { createdBy: 'unknown', channel: 'api' }, true, 'unknown'],
  ['a caller of the API that never called', {}, { createdBy: 'eva', channel: 'api' }, false, 'ada'],
  ['the writer itself, through the API that was not used', {}, { channel: 'console' }, false, 'ada'],
] as const)('an entry that names %s', (_, write, entry, confirms, createdBy) => {
  expect(judge(write, entry)).toMatchObject({ confirms, createdBy });
});

describe('says nothing about', () => {
  test('an entry that was seen before its request arrived', () => {
    expect(judge({ receivedAt: NOW + MAX_CLOCK_SKEW_MS + 1 }, {})).toBeUndefined();
    expect(judge({ receivedAt: NOW + MAX_CLOCK_SKEW_MS }, {})).toBeDefined();
  });

  test('what time or Vexil did', () => {
    expect(judge({}, { channel: 'time' })).toBeUndefined();
    expect(judge({}, { createdByUserId: -1337 })).toBeUndefined();
  });

  test('an entry with the witness of an earlier write', () => {
    expect(judge({}, { witness: { completedAt: NOW - 11, confirms: true } })).toBeUndefined();
    expect(judge({}, { witness: { completedAt: NOW - 9, confirms: true } })).toBeDefined();
  });
});

describe('of two writes that the API server had at once', () => {
  const attribution = { people: { userBySubject: () => undefined }, self: SELF };
  const maker = { write: aWrite({ receivedAt: NOW - 20, completedAt: NOW - 5 }), entry: anEntry() };
  const idle = aWrite({ id: 'changed nothing', username: 'bob', receivedAt: NOW - 15, completedAt: NOW - 10 });

  test('the one that the entry names made the version, although the other one was answered first', () => {
    const other = { write: idle, entry: anEntry() };
    for (const found of [
      [maker, other],
      [other, maker],
    ]) {
      expect(witnessesOf(found, attribution)).toMatchObject([{ createdBy: 'ada', confirms: true }]);
    }
  });

  test('also if the other one was in an earlier round', () => {
    const witness = { completedAt: idle.completedAt, confirms: false };
    const found = [{ ...maker, entry: anEntry({ witness }) }];
    expect(witnessesOf(found, attribution)).toMatchObject([{ createdBy: 'ada', confirms: true }]);
  });

  test('but not if it arrived after the other one was answered', () => {
    const first = { write: aWrite({ id: 'first', username: 'bob', completedAt: NOW - 21 }), entry: anEntry() };
    for (const found of [
      [maker, first],
      [first, maker],
    ]) {
      expect(witnessesOf(found, attribution)).toMatchObject([{ createdBy: 'bob', confirms: false }]);
    }
    const witness = { completedAt: NOW - 21, confirms: false };
    expect(witnessesOf([{ ...maker, entry: anEntry({ witness }) }], attribution)).toEqual([]);
  });
});

test('of two writes with one version, the one that was answered first made it', () => {
  const entry = anEntry({ createdBy: 'unknown', channel: null });
  const found = [
    { write: aWrite({ id: 'changed nothing', username: 'bob', completedAt: NOW - 5 }), entry },
    { write: aWrite(), entry },
  ];
  const attribution = { people: { userBySubject: () => undefined }, self: SELF };
  expect(witnessesOf(found, attribution)).toMatchObject([{ logged: 'a-1', createdBy: 'ada' }]);
});
