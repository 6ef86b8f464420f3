/** Streams: what each reader receives, and when it is closed. */
import { beforeEach, expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createCatalogOrigin } from '../../../src/delivery/catalog-origin.ts';
import { changeSource } from '../../../src/delivery/change-source.ts';
import { createFeeds, type Feeds } from '../../../src/delivery/feeds.ts';
import type { Stream } from '../../../src/delivery/open-stream.ts';
import { createSnapshots } from '../../../src/delivery/snapshots.ts';
import { createStreams, type Streams } from '../../../src/delivery/streams.ts';
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts';
import { aWorld, type World } from '../catalog/world.ts';

const KEEP_ALIVE_MS = 20_000;
const on = { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } };
let world: World;
let feeds: Feeds;
let clock: FakeClock;
let streams: Streams;
let ending: AbortController;
let observed: string[];
let faults: unknown[];

beforeEach(() => {
  world = aWorld();
  const catalog = createCatalog(world.caches, Date.now, { home: 'home' });
  const origin = createCatalogOrigin(catalog);
  feeds = createFeeds({ origin, snapshots: createSnapshots(origin), idPrefix: 'p' });
  world.project('home/shop');
  world.flag('home/a', on);
  world.flag('home/b', on);
  clock = fakeClock();
  ending = new AbortController();
  observed = [];
  faults = [];
  streams = createStreams({
    clock,
    limit: 3,
    holders: { changes: { limit: 1, what: 'a token' } },
    keepAliveMs: KEEP_ALIVE_MS,
    onTouched: catalog.onTouched,
    observe: {
      opened: () => void observed.push('opened'),
      advanced: () => undefined,
      closed: (reason) => void observed.push(reason),
    },
    onFault: (error) => void faults.push(error),
    ending: ending.signal,
  });
});

interface Reader {
  readonly frames: string[];
  readonly buffers: Buffer[];
  readonly stream: Stream;
  isReading: boolean;
  isAllowed: boolean;
  error: Error | undefined;
  ended: 'not' | 'cleanly' | 'abruptly';
}

function read(known?: string, holder?: string): Reader {
  const reader: Omit<Reader, 'stream'> = {
    frames: [],
    buffers: [],
    isReading: true,
    isAllowed: true,
    error: undefined,
    ended: 'not',
  };
  const feed = feeds.of({ environment: 'production', projects: undefined });
  const stream = streams.open('changes', {
    holder,
    source: changeSource({ feed, known, hydrated: () => void observed.push('hydrated') }),
    isAllowed() {
      if (reader.error) throw reader.error;
      return reader.isAllowed;
    },
    connection: {
      write(pieces) {
        if (reader.error) throw reader.error;
        reader.buffers.push(...pieces);
        reader.frames.push(Buffer.concat(pieces).toString());
        return reader.isReading;
      },
      end() {
        reader.ended = 'cleanly';
      },
      destroy() {
        reader.ended = 'abruptly';
      },
    },
  });
  stream.start();
  return Object.assign(reader, { stream });
}

const idOf = (frame = '') => /^id: (.+)$/m.exec(frame)?.[1];
const nameOf = (frame = '') => /^event: (.+)$/m.exec(frame)?.[1];
const flagsIn = (frame = '') =>
  JSON.parse(/^data: (.+)$/m.exec(frame)?.[1] ?? '{"events":[]}').events.map(
    // biome-ignore lint/suspicious/noExplicitAny: events of several shapes
    (event: any) => event.feature?.name ?? event.featureName ?? event.features.length,
  );

test('a reader gets everything first, then each change', async () => {
  const reader = read();
  expect([nameOf(reader.frames[0]), flagsIn(reader.frames[0])]).toEqual(['unleash-connected', [2]]);
  world.flag('home/a', {});
  await clock.advance(1);
  expect([nameOf(reader.frames[1]), flagsIn(reader.frames[1])]).toEqual(['unleash-updated', ['a']]);
  expect(observed).toEqual(['opened', 'hydrated']);
});

test('a reader that reconnects gets the changes it lacks; one with an unknown id gets everything', async () => {
  const id = idOf(read().frames[0]);
  world.flag('home/a', {});
  const [again] = read(id).frames;
  expect([nameOf(again), flagsIn(again)]).toEqual(['unleash-connected', ['a']]);
  const [anew] = read('other-7').frames;
  expect(flagsIn(anew)).toEqual([2]);
});

test('fast changes are sent together, in the same bytes to all', async () => {
  const [one, other] = [read(), read()];
  world.flag('home/a', {});
  await clock.advance(1);
  for (const name of ['a', 'b', 'a']) {
    world.flag(`home/${name}`, { ...on, description: name });
    await clock.advance(1);
  }
  expect(one.frames.length).toBe(2);
  await clock.advance(50);
  expect(one.frames.map(flagsIn)).toEqual([[2], ['a'], ['a', 'b']]);
  expect(other.buffers.every((buffer, index) => buffer === one.buffers[index])).toBe(true);
});

test('a reader that is not ready receives nothing until it is, and then the changes it lacks', async () => {
  const reader = read();
  reader.isReading = false;
  world.flag('home/a', {});
  await clock.advance(1);
  world.flag('home/b', {});
  await clock.advance(100);
  expect(reader.frames.length).toBe(2);
  reader.isReading = true;
  reader.stream.drained();
  expect(flagsIn(reader.frames[2])).toEqual(['b']);
});

test('a reader that stays blocked is closed when its changes are not kept any more, or when it has stalled', async () => {
  const [slow, stalled] = [read(), read()];
  for (const reader of [slow, stalled]) reader.isReading = false;
  world.flag('home/a', {});
  await clock.advance(1);
  stalled.stream.stalled();
  expect([slow.ended, stalled.ended]).toEqual(['not', 'abruptly']);
  for (let turn = 0; turn <= 1_000; turn += 1) {
    world.flag('home/a', { description: `${turn}` });
    await clock.advance(60);
  }
  expect([slow.ended, slow.frames.length]).toEqual(['abruptly', 2]);
  expect(observed.filter((reason) => reason === 'slow').length).toBe(2);
});

test('a reader that is ready gets everything when more has changed than is kept', async () => {
  const reader = read();
  for (let number = 0; number <= 1_000; number += 1) world.flag(`home/many-${number}`, on);
  await clock.advance(1);
  expect(reader.frames.map(flagsIn)).toEqual([[2], [1_003]]);
});

test('a silent stream gets a comment', async () => {
  const reader = read();
  await clock.advance(KEEP_ALIVE_MS - 1_000);
  expect(reader.frames.length).toBe(1);
  await clock.advance(1_000);
  expect(reader.frames[1]).toBe(':\n\n');
});

test('a stream ends within a second of the end of its token, and sends no change meanwhile', async () => {
  const [silent, changed] = [read(), read()];
  changed.isAllowed = false;
  world.flag('home/a', {});
  await clock.advance(1);
  expect([changed.ended, changed.frames.length]).toEqual(['cleanly', 1]);
  silent.isAllowed = false;
  await clock.advance(1_000);
  expect(silent.ended).toBe('cleanly');
});

test('beyond the limit a stream is refused, until another one is closed', () => {
  const readers = [read(), read(), read()];
  expect(() => read()).toThrow('3 streams are open, which is the limit of this replica.');
  expect(streams.isBelowLimit('changes')).toBe(false);
  readers[0]?.stream.closed();
  expect(streams.isBelowLimit('changes')).toBe(true);
  read();
});

test('a token with the maximum of streams is refused, and others are not', () => {
  const first = read(undefined, 'a');
  expect(() => read(undefined, 'a')).toThrow('You have 1 streams open on this replica, which is the limit of a token.');
  expect([streams.isBelowLimit('changes', 'a'), streams.isBelowLimit('changes', 'b')]).toEqual([false, true]);
  read(undefined, 'b');
  first.stream.stalled();
  first.stream.closed();
  read(undefined, 'a');
  expect(streams.isBelowLimit('changes', 'a')).toBe(false);
});

test('at the end readers are sent back to polling, and new streams are refused', async () => {
  const [ready, blocked] = [read(), read()];
  blocked.isReading = false;
  world.flag('home/a', {});
  await clock.advance(1);
  ending.abort();
  expect([ready.frames.at(-1), ready.ended]).toEqual(['event: fetch-mode\ndata: polling\n\n', 'cleanly']);
  expect([blocked.frames.length, blocked.ended]).toEqual([2, 'abruptly']);
  expect(() => read()).toThrow('This replica is stopping');
  expect(faults).toEqual([]);
});

test.each([
  ['a change', 50],
  ['a comment', KEEP_ALIVE_MS],
])('a stream that fails at %s is dropped, and all others go on', async (what, ms) => {
  const [faulty, healthy] = [read(), read()];
  await clock.advance(1);
  faulty.error = new Error('the credentials');
  if (what === 'a change') world.flag('home/a', {});
  const before = healthy.frames.length;
  await clock.advance(ms);
  expect([faults, faulty.ended, observed.at(-1)]).toEqual([[faulty.error], 'abruptly', 'error']);
  expect(healthy.frames.length).toBe(before + 1);
  // The rounds go on after the error.
  await clock.advance(KEEP_ALIVE_MS + 1_000);
  expect(healthy.frames.length).toBe(before + 2);
});

test('a stream that fails when its reader reads again is dropped, and the error goes no further', async () => {
  const reader = read();
  reader.isReading = false;
  world.flag('home/a', {});
  await clock.advance(50);
  reader.error = new Error('the credentials');
  reader.stream.drained();
  expect([faults, reader.ended, observed.at(-1)]).toEqual([[reader.error], 'abruptly', 'error']);
});

test('a stream that cannot send its last event does not keep others from theirs', async () => {
  const [faulty, healthy] = [read(), read()];
  await clock.advance(1);
  faulty.error = new Error('the connection');
  ending.abort();
  expect([faults, faulty.ended, healthy.ended]).toEqual([[faulty.error], 'abruptly', 'cleanly']);
});
