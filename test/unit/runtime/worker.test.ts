/** Workers: outcomes, failures, fairness, stopping. */
import { describe, expect, test } from 'vitest';
import { type FailedRun, runWorkers } from '../../../src/runtime/controller.ts';
import { again, done, type Outcome } from '../../../src/runtime/outcome.ts';
import { createQueue } from '../../../src/runtime/queue.ts';
import { fakeClock, settled } from '../../support/fake-clock.ts';
import { observedLogger, observedQueue } from './observed.ts';

const { observer } = observedQueue();
const { logger } = observedLogger();
const loggerOf = () => logger;

function start(reconcile: (key: string) => Promise<Outcome>, concurrency = 1) {
  const clock = fakeClock();
  const queue = createQueue({ clock, observer, backoff: (failuresBefore) => 100 * 2 ** failuresBefore });
  const stop = new AbortController();
  const failed: FailedRun[] = [];
  const onError = (run: FailedRun) => void failed.push(run);
  const ended = runWorkers({ queue, concurrency, loggerOf, reconcile, onError, signal: stop.signal });
  return { clock, queue, failed, ended, stop: () => stop.abort() };
}

/** A reconcile function that records when it ran, and does what its turn says. */
function noting(turns: readonly (() => Promise<Outcome> | Outcome)[] = []) {
  const ran: string[] = [];
  const reconcile = async (key: string): Promise<Outcome> => {
    ran.push(key);
    return (await turns[ran.length - 1]?.()) ?? done;
  };
  return { ran, reconcile };
}

/** Returns a promise that the test settles. */
function open() {
  return Promise.withResolvers<Outcome>();
}

describe('outcomes', () => {
  test('done: no run until something changes', async () => {
    const { ran, reconcile } = noting();
    const { queue, clock, ended, stop } = start(reconcile);
    queue.add('a');
    await clock.advance(100_000);
    expect([ran, clock.pending]).toEqual([['a'], 0]);
    stop();
    await ended;
  });

  test('again: one more run at the requested time', async () => {
    const { ran, reconcile } = noting([() => again(500)]);
    const { queue, clock, ended, stop } = start(reconcile);
    queue.add('a');
    await clock.advance(499);
    expect(ran).toHaveLength(1);
    await clock.advance(1);
    expect(ran).toHaveLength(2);
    stop();
    await ended;
  });

  test('again after an invalid time is a failed run, and neither a loop nor a sleep', async () => {
    const { ran, reconcile } = noting([() => again(Number.NaN)]);
    const { queue, clock, failed, ended, stop } = start(reconcile);
    queue.add('a');
    await clock.advance(100);
    expect(ran).toHaveLength(2);
    expect(failed).toMatchObject([{ key: 'a', error: expect.any(RangeError) }]);
    stop();
    await ended;
  });
});

describe('a run that throws', () => {
  const boom = () => {
    throw new Error('boom');
  };

  test('is reported, and tried again after its back-off, which a success resets', async () => {
    const { ran, reconcile } = noting([boom, boom, () => again(10), boom]);
    const { queue, clock, failed, ended, stop } = start(reconcile);
    queue.add('a');
    await clock.advance(99);
    expect(ran).toHaveLength(1);
    await clock.advance(1 + 200 + 10);
    expect(ran).toHaveLength(4);
    expect(failed.map(({ key, failures, inMs }) => ({ key, failures, inMs }))).toEqual([
      { key: 'a', failures: 1, inMs: 100 },
      { key: 'a', failures: 2, inMs: 200 },
      { key: 'a', failures: 1, inMs: 100 },
    ]);
    expect(failed[0]?.error).toEqual(new Error('boom'));
    stop();
    await ended;
  });

  test.each([
    { retryAfterSeconds: 30, want: 30_000 },
    { retryAfterSeconds: 0.05, want: 100 },
    { retryAfterSeconds: undefined, want: 100 },
    { retryAfterSeconds: '30', want: 100 },
    { retryAfterSeconds: -1, want: 100 },
    { retryAfterSeconds: Number.NaN, want: 100 },
    { retryAfterSeconds: Number.POSITIVE_INFINITY, want: 100 },
  ])('with retryAfterSeconds $retryAfterSeconds waits $want ms', async ({ retryAfterSeconds, want }) => {
    const { ran, reconcile } = noting([() => Promise.reject({ retryAfterSeconds })]);
    const { queue, clock, failed, ended, stop } = start(reconcile);
    queue.add('a');
    await clock.advance(want - 1);
    expect([ran.length, failed[0]?.inMs]).toEqual([1, want]);
    await clock.advance(1);
    expect(ran).toHaveLength(2);
    stop();
    await ended;
  });

  test.each([undefined, null, 'text', 7])('may throw %j', async (thrown) => {
    const { reconcile } = noting([() => Promise.reject(thrown)]);
    const { queue, failed, ended, stop } = start(reconcile);
    queue.add('a');
    await settled();
    expect(failed).toMatchObject([{ error: thrown, inMs: 100 }]);
    stop();
    await ended;
  });

  test('does not stop the worker', async () => {
    const { ran, reconcile } = noting([boom]);
    const { queue, ended, stop } = start(reconcile);
    queue.add('a');
    queue.add('b');
    await settled();
    expect(ran).toEqual(['a', 'b']);
    stop();
    await ended;
  });
});

test('every run has its own logger, which a failed run passes on', async () => {
  const clock = fakeClock();
  const queue = createQueue({ clock, observer, backoff: () => 1 });
  const { logger, lines } = observedLogger();
  const stop = new AbortController();
  let runs = 0;
  const ended = runWorkers({
    queue,
    concurrency: 1,
    loggerOf(name) {
      runs += 1;
      return logger.child({ name, run: runs });
    },
    reconcile: async (_, log) => {
      log.info({}, 'it runs');
      throw new Error('boom');
    },
    onError: (failed) => failed.logger.warn({}, 'it failed'),
    signal: stop.signal,
  });
  queue.add('a');
  await clock.advance(1);
  stop.abort();
  await ended;
  expect(lines.map(({ name, run, msg }) => [name, run, msg])).toEqual([
    ['a', 1, 'it runs'],
    ['a', 1, 'it failed'],
    ['a', 2, 'it runs'],
    ['a', 2, 'it failed'],
  ]);
});

describe('concurrency', () => {
  test('as many keys as there are workers run at the same time, one key never twice', async () => {
    const first = open();
    const { ran, reconcile } = noting([() => first.promise, () => open().promise]);
    const { queue } = start(reconcile, 2);
    for (const key of ['a', 'b', 'c', 'a']) queue.add(key);
    await settled();
    expect(ran).toEqual(['a', 'b']);
    queue.add('a');
    first.resolve(done);
    await settled();
    expect(ran).toEqual(['a', 'b', 'c', 'a']);
  });

  test('runs without waits let timers run', async () => {
    const { queue, ended, stop } = start(async () => again(0));
    queue.add('a');
    setTimeout(stop);
    await ended;
  });
});

describe('stopping', () => {
  test('waits for the running reconciles, and starts no other', async () => {
    const running = open();
    const { ran, reconcile } = noting([() => running.promise]);
    const { queue, clock, ended, stop } = start(reconcile);
    queue.add('a');
    queue.add('b');
    await settled();
    let over = false;
    void ended.then(() => {
      over = true;
    });
    stop();
    await settled();
    expect(over).toBe(false);
    running.resolve(again(5));
    await ended;
    expect([ran, clock.pending]).toEqual([['a'], 0]);
  });

  test('before the start ends at once', async () => {
    const clock = fakeClock();
    const queue = createQueue({ clock, observer, backoff: () => 1 });
    const { ran, reconcile } = noting();
    queue.add('a');
    const onError = () => expect.unreachable();
    await runWorkers({ queue, concurrency: 3, loggerOf, reconcile, onError, signal: AbortSignal.abort() });
    expect(ran).toEqual([]);
  });

  test('a report that throws ends the workers with that error', async () => {
    const clock = fakeClock();
    const queue = createQueue({ clock, observer, backoff: () => 1 });
    queue.add('a');
    const ended = runWorkers({
      queue,
      concurrency: 2,
      loggerOf,
      reconcile: () => Promise.reject(new Error('boom')),
      onError: () => {
        throw new Error('no more disk');
      },
      signal: new AbortController().signal,
    });
    await expect(ended).rejects.toThrow('no more disk');
    expect(await queue.get()).toBeUndefined();
  });
});
