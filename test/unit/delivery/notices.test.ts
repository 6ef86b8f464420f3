/** Notices: when a reader receives one; half of the streams stay free of them. */
import { beforeEach, expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createCatalogOrigin } from '../../../src/delivery/catalog-origin.ts';
import { createFeeds } from '../../../src/delivery/feeds.ts';
import { createNotices, type Notices } from '../../../src/delivery/notices.ts';
import { createSnapshots } from '../../../src/delivery/snapshots.ts';
import { createStreams, type Streams } from '../../../src/delivery/streams.ts';
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts';
import { aWorld, type World } from '../catalog/world.ts';

const OPENING_MS = 60_000;
const BEHIND_MS = 250;
const all = { environment: 'production', projects: undefined };
let world: World;
let clock: FakeClock;
let notices: Notices;
let streams: Streams;

beforeEach(() => {
  world = aWorld();
  const catalog = createCatalog(world.caches, Date.now, { home: 'home' });
  const origin = createCatalogOrigin(catalog);
  world.project('home/shop');
  world.flag('home/a');
  clock = fakeClock();
  const ending = new AbortController().signal;
  const feeds = createFeeds({ origin, snapshots: createSnapshots(origin), idPrefix: 'p' });
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id${ids}`;
  };
  notices = createNotices({ feeds, clock, idPrefix: 'p', newId, ending });
  streams = createStreams({
    clock,
    limit: 3,
    holders: { notices: { limit: 3, what: 'an address' } },
    keepAliveMs: 10 * OPENING_MS,
    onTouched: catalog.onTouched,
    observe: { opened: () => undefined, closed: () => undefined, advanced: () => undefined },
    onFault: (error) => {
      throw error;
    },
    ending,
  });
});

function read(known?: string, scope: Parameters<Notices['sourceOf']>[0] = all) {
  const reader = { frames: [] as string[], isReading: true };
  const stream = streams.open('notices', {
    source: notices.sourceOf(scope, known),
    isAllowed: () => true,
    connection: {
      write(pieces) {
        reader.frames.push(Buffer.concat(pieces).toString());
        return reader.isReading;
      },
      end: () => undefined,
      destroy: () => undefined,
    },
  });
  stream.start();
  return Object.assign(reader, { stream });
}

const position = (id: string) => `id: ${id}\n\n`;
const notice = (id: string) => `id: ${id}\ndata: {"type":"refetchEvaluation","etag":"${id}"}\n\n`;

test('a reader that may have evaluated before the last change gets a notice at once', async () => {
  expect(read().frames).toEqual([notice('p-id1')]);
  await clock.advance(OPENING_MS);
  expect(read().frames).toEqual([position('p-id1')]);
});

test('a reader that reconnects gets a notice if anything has changed since, or if that is unknown', () => {
  read().stream.closed();
  expect(read('p-id1').frames).toEqual([position('p-id1')]);
  world.flag('home/a', { description: 'other' });
  expect(read('p-id1').frames).toEqual([notice('p-id2')]);
});

test('a reader that reconnects from another replica gets a notice, however long ago the last change was', async () => {
  read().stream.closed();
  await clock.advance(OPENING_MS);
  expect(read('other-id1').frames).toEqual([notice('p-id1')]);
});

test('a change that the reader cannot see is no notice', async () => {
  const one = read(undefined, { environment: 'production', projects: ['shop'] });
  world.project('home/pay');
  world.flag('home/b', { project: 'pay' });
  await clock.advance(100);
  expect(one.frames.length).toBe(1);
  world.flag('home/a', { description: 'other' });
  await clock.advance(100);
  expect(one.frames.length).toBe(2);
});

test('a reader that does not read gets one notice for all missed changes', async () => {
  const one = read();
  one.isReading = false;
  for (let turn = 0; turn < 1_500; turn += 1) {
    world.flag('home/a', { description: `${turn}` });
    await clock.advance(60);
  }
  expect(one.frames.length).toBe(2);
  one.stream.drained();
  await clock.advance(100);
  expect(one.frames.length).toBe(3);
});

test('a request after a notice of another replica waits a moment, so that this one knows the change', async () => {
  await Promise.all([notices.untilNoticed(undefined), notices.untilNoticed('p-id1')]);
  let isOver = false;
  const waiting = notices.untilNoticed('other-id1').then(() => {
    isOver = true;
  });
  await clock.advance(BEHIND_MS - 1);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await waiting;
});

test('notices take half of the streams at most', () => {
  read();
  const last = read();
  expect([streams.isBelowLimit('notices'), streams.isBelowLimit('changes')]).toEqual([false, true]);
  expect(() => read()).toThrow('2 streams are open, which is the limit of this replica.');
  last.stream.closed();
  expect(streams.isBelowLimit('notices')).toBe(true);
});
