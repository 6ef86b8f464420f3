/** The loop of a sink: what it does with each answer, over time. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SinkPlace } from '../../../../src/audit/archive/sinks/sink-store.ts';
import type { Answer } from '../../../../src/audit/deliver/receiver.ts';
import { createSinkLoop, type SinkNotice } from '../../../../src/audit/deliver/sink-loop.ts';
import type { Entry } from '../../../../src/domain/history/entry.ts';
import { Refusal } from '../../../../src/errors.ts';
import type { NotificationSink } from '../../../../src/schema/notification-sink.ts';
import { anEntry } from '../../../support/archive/an-entry.ts';
import { fakeClock, settled } from '../../../support/fake-clock.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-03-01T00:00:00Z');

const metadata = {
  ...{ namespace: 'home', name: 'bus', uid: 'u', resourceVersion: '1', generation: 1 },
  creationTimestamp: '2026-03-01T00:00:00Z',
};
const sink = { metadata, spec: { maxAge: '1h' }, status: undefined, defects: [], owners: [], rawSpec: {} } as unknown;

/** `answer`: what the receiver says to an entry. */
function setUp(answer: (entry: Entry) => Answer | undefined | Error) {
  const clock = fakeClock();
  const entries: Entry[] = [];
  const sent: number[] = [];
  const notices: SinkNotice[] = [];
  const first = { revision: 1, position: 0, lastId: 0, lastAt: 0, setAside: 0, lastSetAside: null, gone: 0 };
  const saved: SinkPlace[] = [{ ...first, replay: null, replayedAt: 0 }];
  const place = () => saved.at(-1) as SinkPlace;
  const ending = new AbortController();
  let isCut = false;
  const loop = createSinkLoop({
    sink: sink as NotificationSink,
    store: {
      open: async () => place(),
      async save(_, { revision, ...next }) {
        if (revision !== place().revision) throw new Refusal('conflict', 'moved');
        saved.push({ ...next, revision: revision + 1 });
        return revision + 1;
      },
      async after(position) {
        if (isCut) throw new Refusal('unavailable', 'away');
        return entries.filter(({ id }) => id > position).slice(0, 20);
      },
      positionAt: async (time) => (entries.find(({ createdAt }) => createdAt >= time)?.id ?? entries.length + 1) - 1,
      lag: async (position) => ({ entries: entries.filter(({ id }) => id > position).length, oldestAt: START }),
      keepOnly: async () => undefined,
    },
    sender: async () => ({
      async send(entry) {
        sent.push(entry.id);
        const given = answer(entry);
        if (given instanceof Error) throw given;
        return given;
      },
      test: async () => ({ type: 'taken' }),
    }),
    isCurrent: () => true,
    clock,
    now: () => START + clock.now(),
    backoff: () => 1_000,
    retryIn: () => 10_000,
    onNotice: (notice) => notices.push(notice),
  });
  const work = loop.run(ending.signal);
  return {
    ...{ clock, loop, sent, notices, place, saved },
    add(count: number, uid = 'flag', createdAt = START + clock.now()) {
      for (let index = 0; index < count; index += 1) {
        const id = entries.length + 1;
        entries.push({ ...anEntry(`${id}`, { uid, createdAt }), id });
      }
      loop.wake();
    },
    cut: (now: boolean) => {
      isCut = now;
    },
    async stop() {
      ending.abort();
      await work;
    },
  };
}

const taken: Answer = { type: 'taken' };
const failed: Answer = { type: 'failed', message: 'answered 500' };
const some = async (times = 20) => {
  for (let index = 0; index < times; index += 1) await settled();
};

test('entries are sent in pages, and the place is saved once for each page', async () => {
  const world = setUp(() => taken);
  world.add(30);
  await some();
  expect(world.sent).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  expect(world.saved.map(({ position }) => position)).toEqual([0, 20, 30]);
  expect(world.loop.progress).toMatchObject({ lastDelivered: { id: 30, at: START }, lag: { entries: 0 } });
  await world.stop();
});

test('an entry that is not carried is passed over, and costs no write each time', async () => {
  const world = setUp(() => undefined);
  for (let round = 0; round < 5; round += 1) {
    world.add(1);
    await some();
  }
  expect(world.saved.length).toBeLessThanOrEqual(2);
  await world.stop();
});

test('entries that are not carried are passed over in turns of the event loop', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  let turn = 0;
  const tick = () => {
    turn += 1;
    ticking = setImmediate(tick);
  };
  let ticking = setImmediate(tick);
  onTestFinished(() => clearImmediate(ticking));
  const turns = new Set<number>();
  const world = setUp(() => {
    turns.add(turn);
    // A costly filter.
    now += 50;
    return undefined;
  });
  world.add(20);
  await vi.waitUntil(() => world.sent.length === 20);
  expect(turns.size).toBeGreaterThanOrEqual(10);
  await world.stop();
});

test('the entries of an object wait for the one before, others do not', async () => {
  let isUp = false;
  const world = setUp(({ uid }) => (uid === 'a' && !isUp ? failed : taken));
  world.add(1, 'a');
  world.add(1, 'b');
  world.add(1, 'a');
  await some();
  expect(world.sent).toEqual([1, 2]);
  expect(world.place().position).toBe(0);
  isUp = true;
  await world.clock.advance(10_000);
  await some();
  expect(world.sent).toEqual([1, 2, 1, 3]);
  expect(world.place()).toMatchObject({ position: 3, setAside: 0 });
  await world.stop();
});

test('a receiver that is away is tried again until maxAge; then what is old is set aside, and what is new is not', async () => {
  const world = setUp(() => failed);
  world.add(2);
  await some();
  expect(world.loop.progress).toMatchObject({ failingSince: START, lastError: 'answered 500', setAside: 0 });
  await world.clock.advance(HOUR_MS + 1);
  world.add(1);
  await some();
  await world.clock.advance(10_000);
  await some();
  expect(world.loop.progress).toMatchObject({
    setAside: 2,
    lastSetAside: expect.stringContaining('older than maxAge'),
  });
  expect(world.place().position).toBe(2);
  expect(world.loop.progress?.failingSince).toBe(START);
  await world.stop();
});

test('what a receiver asks to wait for is respected', async () => {
  const world = setUp(() => ({ type: 'failed', message: 'answered 429', retryAfterMs: 120_000 }));
  world.add(1);
  await some();
  await world.clock.advance(119_000);
  await some();
  expect(world.sent).toHaveLength(1);
  await world.clock.advance(1_000);
  await some();
  expect(world.sent).toHaveLength(2);
  await world.stop();
});

test('a sender that throws, and a database that is away, end no loop', async () => {
  let isBroken = true;
  const world = setUp(() => (isBroken ? new Error('bug') : taken));
  world.add(1);
  await some();
  expect(world.notices).toEqual([{ type: 'store-failed', error: expect.any(Error) }]);
  isBroken = false;
  world.cut(true);
  await world.clock.advance(1_000);
  await some();
  world.cut(false);
  await world.clock.advance(1_000);
  await some();
  expect(world.place()).toMatchObject({ position: 1, lastId: 1 });
  await world.stop();
});

test('another replica that has moved the place is noticed, and its place is used', async () => {
  const world = setUp(() => taken);
  world.add(1);
  await some();
  world.saved.push({ ...world.place(), position: 3, revision: 9 });
  world.add(3);
  await some();
  await world.clock.advance(1_000);
  await some();
  expect(world.place()).toMatchObject({ position: 4, revision: 10 });
  await world.stop();
});
