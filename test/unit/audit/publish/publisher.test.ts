/** Publishing from the archive: the publisher repeats each Event until it exists, in every state of the API server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Archive } from '../../../../src/audit/archive/archive.ts';
import { openArchive } from '../../../../src/audit/archive/open-archive.ts';
import { eventPublisher } from '../../../../src/audit/publish/cluster-events.ts';
import { eventOf } from '../../../../src/audit/publish/event.ts';
import { createPublisher, type Publisher } from '../../../../src/audit/publish/publisher.ts';
import type { HistoryNotice } from '../../../../src/audit/record/notice.ts';
import type { Entry, NewEntry } from '../../../../src/domain/history/entry.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { systemClock } from '../../../../src/runtime/clock.ts';
import { anEntry } from '../../../support/archive/an-entry.ts';
import { waitUntil } from '../../../support/control-plane/wait-until.ts';

let folder: string;
let archive: Archive;
let end: AbortController;
let notices: HistoryNotice[];
let published: string[];
let publisher: Publisher;
let running: Promise<void>;
/** The answer of the API server to an Event; undefined if it accepts it. */
let refusals: (entry: Entry) => ClusterError | undefined;
/** The writes of callers. */
let writes: { areMany: boolean };
/** The number of Events that the API server has not answered yet, and its maximum so far. */
let inFlight: { now: number; max: number };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-publisher-'));
  archive = openArchive(`sqlite:${join(folder, 'audit.db')}`, { notice: () => undefined });
  end = new AbortController();
  [notices, published] = [[], []];
  refusals = () => undefined;
  inFlight = { now: 0, max: 0 };
  writes = { areMany: false };
  publisher = createPublisher({
    archive,
    now: Date.now,
    holdMs: undefined,
    publish: async (entries) => {
      inFlight.now += 1;
      inFlight.max = Math.max(inFlight.max, inFlight.now);
      await new Promise((answer) => setImmediate(answer));
      inFlight.now -= 1;
      const refusal = refusals(entries[0]);
      if (refusal) throw refusal;
      eventOf(entries, 'replica');
      published.push(entries.map(({ key }) => key).join('+'));
    },
    callerWrites: writes,
    clock: systemClock,
    backoff: () => 5,
    onNotice: (notice) => notices.push(notice),
  });
});

afterEach(async () => {
  end.abort();
  await running;
  await archive.close();
  await rm(folder, { recursive: true, force: true });
});

let revision: number | undefined;
beforeEach(() => {
  revision = undefined;
});

async function report(...keys: string[]): Promise<void> {
  await record(...keys.map((key) => anEntry(key)));
}

async function record(...entries: readonly NewEntry[]): Promise<void> {
  await archive.commit({ scope: 's/', after: revision, version: '1', era: 0, at: 1, states: [], gone: [], entries });
  revision = (revision ?? 0) + 1;
  publisher.wake();
}

const run = () => {
  running = publisher.run(end.signal);
};
/** The publisher learns a moment after the archive that an entry is published. */
const noneWaits = () =>
  waitUntil({ what: 'none waits' }, async () => (await archive.backlog()).count === 0 && publisher.waiting === 0);

test('entries of another replica are published at once, later ones when they are recorded', async () => {
  await report('a', 'b');
  run();
  await noneWaits();
  await report('c');
  await noneWaits();
  expect([published.toSorted(), publisher.waiting]).toEqual([['a', 'b', 'c'], 0]);
});

test('of the first entries two are published at a time, of later ones more if the API server answers fast', async () => {
  await report(...Array.from({ length: 50 }, (_, index) => `entry-${index}`));
  run();
  await noneWaits();
  expect([published.length, inFlight]).toEqual([50, { now: 0, max: 2 }]);
  await report(...Array.from({ length: 50 }, (_, index) => `later-${index}`));
  await noneWaits();
  expect([published.length, inFlight]).toEqual([100, { now: 0, max: 3 }]);
});

test('entries wait while callers write much', async () => {
  writes.areMany = true;
  await report('a', 'b');
  run();
  await waitUntil({ what: 'they wait' }, async () => publisher.waiting === 2);
  expect(published).toEqual([]);
  writes.areMany = false;
  await noneWaits();
  expect(published.toSorted()).toEqual(['a', 'b']);
});

describe('the entries of a new object', () => {
  const creation = (uid: string, count: number) =>
    Array.from({ length: count }, (_, index) => anEntry(`${uid}${index}`, { uid, fromVersion: '', toVersion: '7' }));

  test('share an Event; those of a change, of another object and of another time have their own', async () => {
    const [first, ...others] = creation('x', 3);
    const change = ['c', 'd'].map((key) => anEntry(key, { uid: 'x', fromVersion: '7', toVersion: '8' }));
    const planned = anEntry('p', { uid: 'y', fromVersion: '', toVersion: '7', createdAt: 999 });
    await record(...(first ? [first] : []), ...others, ...creation('y', 2), planned, ...change);
    run();
    await noneWaits();
    expect(published.toSorted()).toEqual(['c', 'd', 'p', 'x0+x1+x2', 'y0+y1']);
  });

  test('share it also if a page of the archive ends between them', async () => {
    await report(...Array.from({ length: 196 }, (_, index) => `single-${index}`));
    await record(...creation('x', 9));
    run();
    await noneWaits();
    expect(published.filter((keys) => keys.startsWith('x'))).toEqual(['x0+x1+x2+x3+x4+x5+x6+x7+x8']);
  });

  test('share as many as needed if there are hundreds', async () => {
    await record(...creation('x', 230));
    run();
    await noneWaits();
    expect(published.map((keys) => keys.split('+').length).toSorted((a, b) => b - a)).toEqual([50, 50, 50, 50, 30]);
  });

  test('are refused together, and reported by the first', async () => {
    refusals = ({ uid }) => (uid === 'x' ? new ClusterError('invalid', 'never') : undefined);
    await record(...creation('x', 3), anEntry('a'));
    run();
    await noneWaits();
    expect(published).toEqual(['a']);
    expect(notices).toMatchObject([{ type: 'event-refused', entry: { key: 'x0' } }]);
  });
});

test('while the API server accepts none they wait; each is published once when it does', async () => {
  let isDown = true;
  refusals = ({ key }) => (isDown && key !== 'a' ? new ClusterError('unavailable', 'down') : undefined);
  await report('a', 'b', 'c');
  run();
  await waitUntil({ what: 'it was tried' }, () => notices.length > 0);
  expect(notices).toMatchObject([{ type: 'events-failed' }]);
  isDown = false;
  await noneWaits();
  expect(published.toSorted()).toEqual(['a', 'b', 'c']);
  expect(notices.map(({ type }) => type)).toEqual(['events-failed', 'events-recovered']);
});

test('an Event that the API server rejects for good is reported, and delays no other', async () => {
  refusals = ({ key }) => (key === 'b' ? new ClusterError('invalid', 'never') : undefined);
  await report('a', 'b', 'c');
  run();
  await noneWaits();
  expect(published.toSorted()).toEqual(['a', 'c']);
  expect(notices).toMatchObject([{ type: 'event-refused', entry: { key: 'b' } }]);
});

test('entries that fail again and again delay no other, however many they are', async () => {
  const stuck = Array.from({ length: 300 }, (_, index) => `stuck-${index}`);
  refusals = ({ key }) =>
    key.startsWith('stuck') ? new ClusterError('internal', 'for a reason of its own') : undefined;
  await report(...stuck.slice(0, 250), 'a', ...stuck.slice(250), 'b');
  run();
  await waitUntil({ what: 'the others are published' }, async () => (await archive.backlog()).count === 300);
  expect(published).toHaveLength(2);
  refusals = () => undefined;
  await noneWaits();
  expect(published).toHaveLength(302);
  expect(new Set(published).size).toBe(302);
});

test('an entry that an earlier version stored too deep, and could not publish, is published', async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`);
  const old = Array.from({ length: 10 }, (_, index) =>
    anEntry(`deep-${index}`, { data: { parameters: { zz: deep } } }),
  );
  await record(...old, anEntry('after'));
  run();
  await noneWaits();
  expect(published).toHaveLength(11);
  expect(notices).toEqual([]);
  const { entries } = await archive.search({}, { offset: 0, limit: 20 });
  expect(entries.filter(({ data }) => JSON.stringify(data).includes('nested deeper than 64 levels'))).toHaveLength(10);
});

test('an Event that cannot be made is refused for good, and delays no other', async () => {
  const { signal } = new AbortController();
  // The publisher fails before it sends a request.
  const publish = eventPublisher({
    transport: {} as never,
    home: 'home',
    instance: 'replica',
    onCreated: () => undefined,
  });
  const impossible = { ...anEntry('a'), id: 7, type: 'of-a-later-version' as NewEntry['type'] };
  await expect(publish([impossible], signal)).rejects.toMatchObject({ code: 'invalid' });
});
