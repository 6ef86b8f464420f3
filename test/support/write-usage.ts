/** Writes evaluations of earlier days into the usage database, as another replica does. */
import { openDatabase } from '../../src/audit/archive/open-archive.ts';
import type { Count } from '../../src/usage/counters.ts';
import { createUsage } from '../../src/usage/store.ts';
import { fakeClock } from './fake-clock.ts';

export async function writeUsage(url: string, counts: readonly Count[]): Promise<void> {
  const database = openDatabase(url, { notice: () => undefined });
  try {
    const usage = createUsage({
      database,
      retention: { hourlyMs: 48 * 3_600_000, dailyMs: 400 * 86_400_000 },
      flushMs: 10_000,
      writer: `test-${counts.length}-${Date.now()}`,
      clock: fakeClock(),
      now: Date.now,
      random: () => 0,
      observe: { flushed: () => undefined, dropped: () => undefined, failed: () => undefined },
    });
    for (const count of counts) usage.count(count);
    await usage.flush();
  } finally {
    await database.close();
  }
}
