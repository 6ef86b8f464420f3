/** Entries in their Event, and read back from it after the loss of an archive. */
import { expect, test } from 'vitest';
import { entriesOfEvent, eventOf } from '../../../../src/audit/publish/event.ts';
import type { EventEntries } from '../../../../src/audit/publish/event-entries.ts';
import type { Entry } from '../../../../src/domain/history/entry.ts';
import { EVENT_CONTROLLER } from '../../../../src/kube/api/events.ts';
import { anEntry } from '../../../support/archive/an-entry.ts';

const KEYS = ['a', 'b', 'c'].map((digit) => digit.repeat(24));

const entryAt = (index: number, more: Partial<Entry> = {}): Entry => ({
  ...anEntry(KEYS[index] ?? '', { ip: '10.1.2.3', fromVersion: '', uid: 'u', ...more }),
  id: index + 1,
});

function readBack(entries: EventEntries) {
  const { annotations } = eventOf(entries, 'replica');
  return entriesOfEvent({ metadata: { annotations }, reportingController: EVENT_CONTROLLER });
}

test('all entries of an Event are read back in their order, without addresses of callers', () => {
  const three = [entryAt(0), entryAt(1, { data: { parameters: { rollout: '50' } } }), entryAt(2)] as const;
  const wanted = three.map(({ id: _, ...entry }) => ({
    ...entry,
    createdBy: 'a…@example.com',
    ip: null,
    restored: true,
  }));
  expect(readBack(three)).toEqual(wanted);
  expect(readBack([three[0]])).toEqual(wanted.slice(0, 1));
  expect(eventOf(three, 'replica')).toMatchObject({ name: `checkout.${KEYS[0]}`, regarding: { uid: 'u' } });
});

test('entries that are too long together keep their places, and the content that fits', () => {
  const long = { text: 'x'.repeat(20_000) };
  const back = readBack([entryAt(0, { data: long }), entryAt(1, { data: long }), entryAt(2, { data: { a: 1 } })]);
  expect(back.map(({ key, data }) => [key, data])).toEqual([
    [KEYS[0], long],
    [KEYS[1], null],
    [KEYS[2], { a: 1 }],
  ]);
});

test.each([
  ['no JSON', '{'],
  ['an empty object', '{}'],
  ['an array with something else in it', JSON.stringify([{ key: 'x' }])],
])('%s has no entries', (_, text) => {
  const annotations = { 'vexil.dev/audit-entry': text };
  expect(entriesOfEvent({ metadata: { annotations }, reportingController: EVENT_CONTROLLER })).toEqual([]);
});
