/** The real clock fires at the right time, also beyond the longest timer of Node.js. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { monotonicTime, systemClock } from '../../../src/runtime/clock.ts';

const dayMs = 24 * 60 * 60 * 1000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test.each([1, 250, 24 * dayMs, 25 * dayMs, 100 * dayMs])('a timer of %i ms fires once, not before', (ms) => {
  const wake = vi.fn();
  systemClock.after(ms, wake);

  vi.advanceTimersByTime(ms - 1);
  expect(wake).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(wake).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([250, 100 * dayMs])('a timer that is cancelled after part of %i ms never fires', (ms) => {
  const wake = vi.fn();
  const cancel = systemClock.after(ms, wake);

  vi.advanceTimersByTime(Math.floor(ms / 2));
  cancel();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(ms);
  expect(wake).not.toHaveBeenCalled();
});

test('its time advances with the timers', () => {
  const before = systemClock.now();
  vi.advanceTimersByTime(5000);
  expect(systemClock.now() - before).toBe(5000);
});

test('the time stands still while the clock of the machine is behind it, and follows it again', () => {
  const readings = [1000, 1500, 700, 1499, 1501, 90_000];
  const now = monotonicTime(() => readings.shift() ?? 0);
  expect(Array.from({ length: readings.length }, now)).toEqual([1000, 1500, 1500, 1500, 1501, 90_000]);
});
