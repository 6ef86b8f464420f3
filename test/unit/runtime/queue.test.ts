/** What the queue promises about one key, told key by key. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createQueue, type Queue } from '../../../src/runtime/queue.ts';
import { type FakeClock, fakeClock, settled } from '../../support/fake-clock.ts';

let clock: FakeClock;
let queue: Queue;

beforeEach(() => {
  clock = fakeClock();
  queue = createQueue({ clock, backoff: (failuresBefore) => 100 * 2 ** failuresBefore });
});

/** Takes what is ready now. */
async function takeReady(): Promise<string[]> {
  const taken: string[] = [];
  while (queue.length > 0) taken.push((await queue.take()) ?? 'closed');
  return taken;
}

async function takeAndRelease(): Promise<string[]> {
  const taken = await takeReady();
  for (const key of taken) queue.release(key);
  return taken;
}

describe('ready keys', () => {
  test('come out in the order they were added, each once', async () => {
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(queue.length).toBe(3);
    expect(await takeReady()).toEqual(['a', 'b', 'c']);
  });

  test('go to the worker that has waited longest', async () => {
    const [first, second] = [queue.take(), queue.take()];
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  });

  test('never go to two workers in the same turn', async () => {
    const [first, second] = [queue.take(), queue.take()];
    queue.add('a');
    queue.add('a');
    expect(await first).toBe('a');
    queue.release('a');
    expect(await second).toBe('a');
  });
});

describe('a key that is being worked on', () => {
  test('is not handed out again', async () => {
    queue.add('a');
    await queue.take();
    queue.add('a');
    expect(queue.length).toBe(0);
  });

  test('runs once more afterwards, however often it was asked for meanwhile', async () => {
    queue.add('a');
    await queue.take();
    for (let n = 0; n < 1000; n += 1) queue.add('a');
    queue.addAfter('a', 50);
    queue.release('a');

    expect(await takeAndRelease()).toEqual(['a']);
    await clock.advance(1000);
    expect(queue.length).toBe(0);
  });

  test('runs again afterwards when its delay ends during the work', async () => {
    queue.add('a');
    await queue.take();
    queue.addAfter('a', 50);
    await clock.advance(60);
    expect(queue.length).toBe(0);
    queue.release('a');
    expect(await takeReady()).toEqual(['a']);
  });

  test('goes behind the keys that were ready before', async () => {
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.add('b');
    queue.release('a');
    expect(await takeReady()).toEqual(['b', 'a']);
  });
});

describe('a delayed key', () => {
  test('becomes ready when its time has come, not before', async () => {
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
    expect(await takeAndRelease()).toEqual(['a']);
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
    expect(await takeAndRelease()).toEqual(['a']);
    await clock.advance(1000);
    expect([queue.length, clock.pending]).toEqual([0, 0]);
  });

  test('stays ready when a delay is asked for', () => {
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
    const key = (await queue.take()) ?? 'closed';
    const retry = queue.retry(key, atLeastMs);
    queue.release(key);
    return retry;
  }

  test('waits longer from failure to failure', async () => {
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

  test('starts again at the first wait once its failures are forgotten', async () => {
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
    expect(await takeAndRelease()).toEqual(['a']);
    expect(clock.pending).toBe(0);
  });

  test('waits as long as it was told, whatever changes meanwhile', async () => {
    queue.add('a');
    expect(await fail(30_000)).toEqual({ failures: 1, inMs: 30_000 });
    queue.add('a');
    queue.addAfter('a', 5);
    await clock.advance(29_999);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(await takeAndRelease()).toEqual(['a']);
  });

  test('is brought forward to the time it was told, when its back-off is longer', async () => {
    queue.add('a');
    for (let n = 0; n < 5; n += 1) await clock.advance((await fail()).inMs);
    expect(await fail(1000)).toEqual({ failures: 6, inMs: 3200 });
    queue.add('a');
    await clock.advance(1000);
    expect(queue.length).toBe(1);
  });

  test('that was asked for during its run comes back after the first wait, not at once', async () => {
    queue.add('a');
    for (let n = 0; n < 3; n += 1) await clock.advance((await fail()).inMs);
    await queue.take();
    queue.add('a');
    expect(queue.retry('a', 0)).toEqual({ failures: 4, inMs: 100 });
    queue.release('a');
    expect(queue.length).toBe(0);
    await clock.advance(100);
    expect(queue.length).toBe(1);
  });
});

describe('a closed queue', () => {
  test('hands out nothing, keeps no timer and takes nothing in', async () => {
    const waiting = [queue.take(), queue.take()];
    queue.addAfter('b', 50);
    queue.close();
    queue.add('c');
    queue.addAfter('d', 10);

    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(await queue.take()).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  test('lets work that has begun end in peace', async () => {
    queue.add('a');
    queue.add('b');
    await queue.take();
    await queue.take();
    queue.add('a');
    queue.close();
    queue.release('a');
    queue.retry('b', 0);
    queue.release('b');
    await settled();
    expect([queue.length, clock.pending]).toEqual([0, 0]);
  });
});
