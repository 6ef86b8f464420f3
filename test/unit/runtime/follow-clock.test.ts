/** A forward jump of the clock is noticed, also in small steps. The passing of time and small corrections are not. */
import { expect, test } from 'vitest';
import { followClock } from '../../../src/runtime/follow-clock.ts';
import { fakeClock } from '../../support/fake-clock.ts';

test('each jump forward is reported once, and nothing else is', async () => {
  const clock = fakeClock();
  let aheadMs = 0;
  let reported = 0;
  const ending = new AbortController();
  const now = () => clock.now() + aheadMs;
  const followed = followClock({ clock, now, signal: ending.signal }, () => {
    reported += 1;
  });
  const after = async (jumpMs: number, passMs = 1000) => {
    aheadMs += jumpMs;
    await clock.advance(passMs);
    return reported;
  };

  expect(await after(0, 3_600_000)).toBe(0);
  expect(await after(4000)).toBe(0);
  expect(await after(-4000)).toBe(0);
  expect(await after(4000)).toBe(0);
  expect(await after(4000), 'small steps add up').toBe(1);
  expect(await after(6000)).toBe(2);
  expect(await after(0, 10_000)).toBe(2);
  expect(await after(-60_000, 10_000)).toBe(2);
  expect(await after(4000), 'a step after the clock was set back').toBe(2);
  expect(await after(7_200_000)).toBe(3);
  ending.abort();
  await followed;
  expect(clock.pending).toBe(0);
});

test('a failure of what a jump starts is not lost', async () => {
  const clock = fakeClock();
  let aheadMs = 0;
  const failing = () => Promise.reject(new Error('cannot look again'));
  const parts = { clock, now: () => clock.now() + aheadMs, signal: new AbortController().signal };
  const failed = expect(followClock(parts, failing)).rejects.toThrow('cannot look again');
  await clock.advance(1000);
  aheadMs = 60_000;
  await clock.advance(1000);
  await failed;
});
