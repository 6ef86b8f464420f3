/** When the store of usage flushes. */
import { expect, test } from 'vitest';
import { createUsage } from '../../../src/usage/store.ts';
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts';

const FLUSH_MS = 10_000;

/** A slow database. */
function slowDatabase(clock: FakeClock, { writeMs, readMs }: { readonly writeMs: number; readonly readMs: number }) {
  const after = (ms: number) => new Promise<never>((resolve) => void clock.after(ms, () => resolve([] as never)));
  return { write: () => after(writeMs), search: () => after(readMs), read: () => after(readMs) };
}

test.each([0, 0.5, 1])('a killed process loses what came in ten seconds at most (random: %d)', async (random) => {
  const clock = fakeClock();
  const usage = createUsage({
    database: slowDatabase(clock, { writeMs: 1_500, readMs: 25_000 }),
    retention: { hourlyMs: 1, dailyMs: 1 },
    flushMs: FLUSH_MS,
    writer: 'one',
    clock,
    now: clock.now,
    random: () => random,
    observe: { flushed: () => undefined, dropped: () => undefined, failed: () => undefined },
  });
  const ending = new AbortController();
  const running = usage.run(ending.signal);
  // A use is counted as soon as everything is stored. The time until it is stored is what a kill would lose.
  const waits: number[] = [];
  let oldestAt: number | undefined;
  for (let at = 0; at < 300_000; at += 100) {
    if (usage.keys() === 0) {
      if (oldestAt !== undefined) waits.push(clock.now() - oldestAt);
      oldestAt = clock.now();
      const place = { flagUid: 'uid', environment: 'production', appName: 'shop', variants: new Map() };
      usage.count({ ...place, yes: 1, no: 0, at: clock.now(), arrivedAt: clock.now() });
    }
    await clock.advance(100);
  }
  ending.abort();
  await clock.advance(60_000);
  await running;
  expect(waits.length).toBeGreaterThan(20);
  expect(Math.max(...waits)).toBeLessThanOrEqual(FLUSH_MS);
});
