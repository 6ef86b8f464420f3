/** Events wait for the writes of callers, but not forever. */
import { expect, test } from 'vitest';
import { MAX_WAIT_MS, waitForCallers } from '../../../../src/audit/publish/wait-for-callers.ts';
import type { Clock } from '../../../../src/model/clock.ts';

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
  expect(clock.time).toBe(MAX_WAIT_MS);
  await wait(signal);
  expect(clock.time).toBe(MAX_WAIT_MS);
  writes.areMany = false;
  await wait(signal);
  writes.areMany = true;
  await wait(signal);
  expect(clock.time).toBe(2 * MAX_WAIT_MS);
});

test('Events are not delayed after the signal has aborted', async () => {
  const clock = jumpingClock();
  await waitForCallers({ areMany: true }, clock)(AbortSignal.abort());
  expect(clock.time).toBe(0);
});
