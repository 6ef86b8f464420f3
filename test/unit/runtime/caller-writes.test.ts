/** What gives way to many writes of callers: the reconciles of a queue, and Events. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/model/clock.ts';
import {
  type CallerWrites,
  countCallerWrites,
  MAX_GIVE_WAY_MS,
  throttleForCallers,
  waitForCallers,
} from '../../../src/runtime/caller-writes.ts';
import { createQueue, type Queue } from '../../../src/runtime/queue.ts';
import { type FakeClock, fakeClock, settled } from '../../support/fake-clock.ts';
import { observedQueue } from './observed.ts';

/** A clock that jumps to the next timer as soon as there is one. */
function jumpingClock(): Clock & { time: number } {
  return {
    time: 0,
    now() {
      return this.time;
    },
    after(ms, wake) {
      const immediate = setImmediate(() => {
        this.time += ms;
        wake();
      });
      return () => clearImmediate(immediate);
    },
  };
}

describe('a queue', () => {
  const MAX_WRITES_UNTHROTTLED = 8;
  let clock: FakeClock;
  let queue: Queue;
  let taken: string[];
  let writes: CallerWrites;
  let end: () => void;

  beforeEach(() => {
    clock = fakeClock();
    writes = countCallerWrites();
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    for (let caller = 0; caller <= MAX_WRITES_UNTHROTTLED; caller += 1) void writes.during(() => ended);
    const observer = observedQueue().observer;
    queue = createQueue({ clock, observer, backoff: () => 100, maxRunning: throttleForCallers(writes) });
    taken = [];
    for (let worker = 0; worker < 6; worker += 1) void queue.get().then((key) => taken.push(key ?? 'none'));
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
  });

  test('two keys are processed at a time; each that ends makes room for one', async () => {
    await settled();
    expect([taken, queue.length]).toEqual([['a', 'b'], 2]);
    queue.done('a');
    await settled();
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  test('the others are processed when the writes are over', async () => {
    await settled();
    end();
    await settled();
    queue.done('a');
    await settled();
    expect([writes.areMany, taken]).toEqual([false, ['a', 'b', 'c', 'd']]);
  });

  test('after eight seconds all are processed with the next change, and so are later ones while callers continue', async () => {
    clock.pass(7_999);
    queue.add('e');
    await settled();
    expect(taken).toEqual(['a', 'b']);
    clock.pass(1);
    queue.add('f');
    await settled();
    expect(taken).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    for (const key of ['a', 'b', 'c']) queue.done(key);
    for (let worker = 0; worker < 3; worker += 1) void queue.get().then((key) => taken.push(key ?? 'none'));
    for (const key of ['g', 'h', 'i']) queue.add(key);
    await settled();
    expect(taken.slice(6)).toEqual(['g', 'h', 'i']);
  });
});

describe('Events', () => {
  const { signal } = new AbortController();

  test('few writes delay no Event', async () => {
    const clock = jumpingClock();
    await waitForCallers({ areMany: false }, clock)(signal);
    expect(clock.time).toBe(0);
  });

  test('many writes delay Events for a limited time, and then not again until they are few', async () => {
    const clock = jumpingClock();
    const writes = { areMany: true };
    const wait = waitForCallers(writes, clock);
    await wait(signal);
    expect(clock.time).toBe(MAX_GIVE_WAY_MS);
    await wait(signal);
    expect(clock.time).toBe(MAX_GIVE_WAY_MS);
    writes.areMany = false;
    await wait(signal);
    writes.areMany = true;
    await wait(signal);
    expect(clock.time).toBe(2 * MAX_GIVE_WAY_MS);
  });

  test('Events are not delayed after the signal has aborted', async () => {
    const clock = jumpingClock();
    await waitForCallers({ areMany: true }, clock)(AbortSignal.abort());
    expect(clock.time).toBe(0);
  });
});
