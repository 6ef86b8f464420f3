/** What the queue guarantees for each key. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createQueue, type Queue } from '../../../src/runtime/queue.ts';
import { type FakeClock, fakeClock, settled } from '../../support/fake-clock.ts';
import { observedQueue } from './observed.ts';

let clock: FakeClock;
let queue: Queue;
let values: () => Promise<Readonly<Record<string, number>>>;

beforeEach(() => {
  clock = fakeClock();
  const observed = observedQueue();
  values = observed.values;
  queue = createQueue({ clock, observer: observed.observer, backoff: (failuresBefore) => 100 * 2 ** failuresBefore });
});

/** Takes every key that is ready now. */
async function getReady(): Promise<string[]> {
  const taken: string[] = [];
  while (queue.length > 0) taken.push((await queue.get()) ?? 'closed');
  return taken;
}

async function processReady(): Promise<string[]> {
  const taken = await getReady();
  for (const key of taken) queue.done(key);
  return taken;
}

describe('ready keys', () => {
  test('leave in the order they were added, each once', async () => {
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(queue.length).toBe(3);
    expect(await getReady()).toEqual(['a', 'b', 'c']);
  });

  test('go to the worker that has waited longest', async () => {
    const [first, second] = [queue.get(), queue.get()];
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  });

  test('never go to two workers in the same turn', async () => {
    const [first, second] = [queue.get(), queue.get()];
    queue.add('a');
    queue.add('a');
    expect(await first).toBe('a');
    queue.done('a');
    expect(await second).toBe('a');
  });
});

describe('a key in progress', () => {
  test('is not handed out again', async () => {
    queue.add('a');
    await queue.get();
    queue.add('a');
    expect(queue.length).toBe(0);
  });

  test('runs once more afterwards, however often it was added meanwhile', async () => {
    queue.add('a');
    await queue.get();
    for (let n = 0; n < 1000; n += 1) queue.add('a');
    queue.addAfter('a', 50);
    queue.done('a');

    expect(await processReady()).toEqual(['a']);
    await clock.advance(1000);
    expect(queue.length).toBe(0);
  });

  test('runs again afterwards when its delay ends during the work', async () => {
    queue.add('a');
    await queue.get();
    queue.addAfter('a', 50);
    await clock.advance(60);
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(await getReady()).toEqual(['a']);
  });

  test('comes after the keys that were ready before', async () => {
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('b');
    queue.done('a');
    expect(await getReady()).toEqual(['b', 'a']);
  });
});

describe('a delayed key', () => {
  test('becomes ready at its time, not before', async () => {
    queue.addAfter('a', 50);
    await clock.advance(49);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });

  test('is not postponed by later adds: a thousand changes become one run', async () => {
    for (let n = 0; n < 1000; n += 1) {
      queue.addAfter('a', 50);
      clock.pass(1 / 32);
    }
    await clock.advance(50 - 1000 / 32);
    expect(await processReady()).toEqual(['a']);
    await clock.advance(1000);
    expect([queue.length, clock.pending]).toEqual([0, 0]);
  });

  test.each([
    ['an earlier delay', () => queue.addAfter('a', 10), 10],
    ['an add', () => queue.add('a'), 0],
    ['a delay of nothing', () => queue.addAfter('a', 0), 0],
    ['a delay that is over already', () => queue.addAfter('a', -5), 0],
  ])('is brought forward by %s, and then runs once', async (_, ask, wantedMs) => {
    queue.addAfter('a', 500);
    ask();
    await clock.advance(wantedMs);
    expect(await processReady()).toEqual(['a']);
    await clock.advance(1000);
    expect([queue.length, clock.pending]).toEqual([0, 0]);
  });

  test('stays ready when it is added with a delay', () => {
    queue.add('a');
    queue.addAfter('a', 50);
    expect([queue.length, clock.pending]).toEqual([1, 0]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('cannot be delayed by %d', (ms) => {
    expect(() => queue.addAfter('a', ms)).toThrow(RangeError);
  });
});

describe('a failed key', () => {
  async function fail(atLeastMs = 0) {
    const key = (await queue.get()) ?? 'closed';
    const retry = queue.addRateLimited(key, atLeastMs);
    queue.done(key);
    return retry;
  }

  test('waits longer after each failure', async () => {
    queue.add('a');
    const waits: number[] = [];
    for (let n = 1; n <= 4; n += 1) {
      const { failures, inMs } = await fail();
      expect(failures).toBe(n);
      waits.push(inMs);
      await clock.advance(inMs);
    }
    expect(waits).toEqual([100, 200, 400, 800]);
  });

  test('starts again with the first wait after its failures are forgotten', async () => {
    queue.add('a');
    await fail();
    queue.forget('a');
    queue.add('a');
    expect(await fail()).toEqual({ failures: 1, inMs: 100 });
  });

  test('does not slow down other keys', async () => {
    queue.add('a');
    await fail();
    queue.add('b');
    expect(await fail()).toEqual({ failures: 1, inMs: 100 });
  });

  test('is tried at once when something changes during its wait', async () => {
    queue.add('a');
    await fail();
    queue.add('a');
    expect(await processReady()).toEqual(['a']);
    expect(clock.pending).toBe(0);
  });

  test('waits for the requested time, whatever changes meanwhile', async () => {
    queue.add('a');
    expect(await fail(30_000)).toEqual({ failures: 1, inMs: 30_000 });
    queue.add('a');
    queue.addAfter('a', 5);
    await clock.advance(29_999);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(await processReady()).toEqual(['a']);
  });

  test('is brought forward to the requested time, when its backoff is longer', async () => {
    queue.add('a');
    for (let n = 0; n < 5; n += 1) await clock.advance((await fail()).inMs);
    expect(await fail(1000)).toEqual({ failures: 6, inMs: 3200 });
    queue.add('a');
    await clock.advance(1000);
    expect(queue.length).toBe(1);
  });

  test('that was added during its run returns after the first wait, not at once', async () => {
    queue.add('a');
    for (let n = 0; n < 3; n += 1) await clock.advance((await fail()).inMs);
    await queue.get();
    queue.add('a');
    expect(queue.addRateLimited('a', 0)).toEqual({ failures: 4, inMs: 100 });
    queue.done('a');
    expect(queue.length).toBe(0);
    await clock.advance(100);
    expect(queue.length).toBe(1);
  });
});

describe('priorities', () => {
  test('keys of high priority leave first; high is the default', async () => {
    queue.add('low', { priority: 'low' });
    queue.add('a');
    queue.add('b', { priority: 'high' });
    expect(await getReady()).toEqual(['a', 'b', 'low']);
  });

  test('a ready key is raised by a higher priority, also by a delayed one, and never lowered', async () => {
    for (const key of ['a', 'b', 'c']) queue.add(key, { priority: 'low' });
    queue.add('c', { priority: 'high' });
    queue.addAfter('b', 50, { priority: 'high' });
    queue.add('c', { priority: 'low' });
    expect(await getReady()).toEqual(['c', 'b', 'a']);
  });

  test('a delayed key has the highest priority of all adds, at the earliest time', async () => {
    queue.addAfter('a', 50, { priority: 'high' });
    queue.addAfter('a', 10, { priority: 'low' });
    queue.addAfter('b', 10, { priority: 'low' });
    queue.addAfter('b', 50, { priority: 'high' });
    queue.addAfter('c', 5, { priority: 'low' });
    await clock.advance(10);
    expect(await processReady()).toEqual(['a', 'b', 'c']);
    await clock.advance(50);
    expect([queue.length, clock.pending]).toEqual([0, 0]);
  });

  test('a key that is added during its run returns with the highest priority of those adds', async () => {
    queue.add('a', { priority: 'high' });
    await queue.get();
    queue.add('a', { priority: 'low' });
    queue.add('b', { priority: 'low' });
    queue.done('a');
    expect(await processReady()).toEqual(['b', 'a']);

    queue.add('a', { priority: 'low' });
    await queue.get();
    queue.add('a', { priority: 'low' });
    queue.add('a', { priority: 'high' });
    queue.add('b', { priority: 'low' });
    queue.done('a');
    expect(await processReady()).toEqual(['a', 'b']);
  });

  test.each([
    ['keeps its priority', 'high', undefined, ['a', 'b']],
    ['stays low', 'low', undefined, ['b', 'a']],
    ['is raised by a change during its run', 'low', 'high', ['a', 'b']],
    ['is not lowered by a change during its run', 'high', 'low', ['a', 'b']],
  ] as const)('a failed key %s', async (_, priority, during, want) => {
    queue.add('a', { priority });
    await queue.get();
    if (during) queue.add('a', { priority: during });
    queue.addRateLimited('a', 0);
    queue.done('a');
    queue.addAfter('b', 50, { priority: 'low' });
    await clock.advance(100);
    expect(await processReady()).toEqual(want);
  });
});

describe('a bounded number of keys of low priority', () => {
  /** The keys that workers have received, in this order. */
  let taken: string[];

  beforeEach(() => {
    queue = createQueue({ clock, observer: observedQueue().observer, backoff: () => 100, maxLow: 2 });
    taken = [];
    for (let worker = 0; worker < 5; worker += 1) void queue.get().then((key) => taken.push(key ?? 'none'));
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key, { priority: 'low' });
  });

  test('are processed at once; the others leave free workers to high ones', async () => {
    await settled();
    expect([taken, queue.length]).toEqual([['a', 'b'], 2]);
    queue.add('e');
    await settled();
    expect(taken).toEqual(['a', 'b', 'e']);
  });

  test('that wait are processed as soon as they become high', async () => {
    queue.add('d', { priority: 'high' });
    await settled();
    expect(taken).toEqual(['a', 'b', 'd']);
  });

  test('make room for the next one when they end, also after a failure, and high ones do not', async () => {
    queue.add('e');
    queue.done('e');
    await settled();
    expect(taken).toEqual(['a', 'b', 'e']);
    queue.addRateLimited('b', 0);
    queue.done('b');
    await settled();
    expect(taken).toEqual(['a', 'b', 'e', 'c']);
    queue.done('a');
    await settled();
    expect(taken).toEqual(['a', 'b', 'e', 'c', 'd']);
  });

  test('count with the priority at the beginning of the run, whatever changes meanwhile', async () => {
    queue.add('a', { priority: 'high' });
    await settled();
    expect(taken).toEqual(['a', 'b']);
    queue.done('a');
    await settled();
    expect(taken).toEqual(['a', 'b', 'a', 'c']);
  });
});

describe('metrics', () => {
  test('count adds, failures and the times of waiting and running', async () => {
    queue.add('a');
    queue.add('a');
    queue.add('b', { priority: 'low' });
    expect(await values()).toMatchObject({ depth: 2, adds_total: 2 });

    clock.pass(2000);
    await queue.get();
    clock.pass(3000);
    await queue.get();
    queue.add('a');
    clock.pass(1000);
    expect(await values()).toMatchObject({
      depth: 0,
      adds_total: 3,
      'duration_seconds_sum{high}': 2,
      'duration_seconds_sum{low}': 5,
      unfinished_work_seconds: 5,
      longest_running_processor_seconds: 4,
    });

    queue.addRateLimited('b', 0);
    queue.done('a');
    queue.done('b');
    await queue.get();
    expect(await values()).toMatchObject({
      retries_total: 1,
      work_duration_seconds_sum: 5,
      work_duration_seconds_count: 2,
      'duration_seconds_sum{high}': 3,
      'duration_seconds_count{high}': 2,
    });
  });

  test('a queue that is shut down has no depth', async () => {
    queue.add('a');
    queue.shutDown();
    expect(await values()).toMatchObject({ depth: 0 });
  });
});

describe('a queue that is shut down', () => {
  test('returns nothing, keeps no timer and accepts nothing', async () => {
    const waiting = [queue.get(), queue.get()];
    queue.addAfter('b', 50);
    queue.shutDown();
    queue.add('c');
    queue.addAfter('d', 10);

    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(await queue.get()).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  test('lets running work finish', async () => {
    queue.add('a');
    queue.add('b');
    await queue.get();
    await queue.get();
    queue.add('a');
    queue.shutDown();
    queue.done('a');
    queue.addRateLimited('b', 0);
    queue.done('b');
    await settled();
    expect([queue.length, clock.pending]).toEqual([0, 0]);
  });
});
