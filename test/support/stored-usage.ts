/** The reports of SDKs that operators have stored, read from their database as another replica reads them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/audit/archive/open-archive.ts';
import { createUsage, type Usage } from '../../src/usage/store.ts';
import { fakeClock } from './fake-clock.ts';

export interface StoredUsage extends Usage {
  /** The sums of a flag over all days, environments and applications. */
  totalOf(flagUid: string): Promise<{ readonly yes: number; readonly no: number }>;
  close(): Promise<void>;
}

/** Makes a file for the archive of an operator in this process. Reports are stored at once. */
export async function usageFile() {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-usage-'));
  const url = `sqlite:${join(folder, 'audit.db')}`;
  return {
    settings: { VEXIL_AUDIT_URL: url, VEXIL_USAGE_FLUSH_INTERVAL: '200ms' },
    url,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export function openStoredUsage(url: string): StoredUsage {
  const database = openDatabase(url, { notice: () => undefined });
  const usage = createUsage({
    database,
    retention: { hourlyMs: 48 * 3_600_000, dailyMs: 400 * 24 * 3_600_000 },
    flushMs: 10_000,
    writer: 'test',
    clock: fakeClock(),
    now: Date.now,
    random: () => 0,
    observe: {
      flushed: () => undefined,
      dropped: () => undefined,
      failed: (_, error) => {
        throw error;
      },
    },
  });
  return {
    ...usage,
    async totalOf(flagUid) {
      const rows = await usage.countsOf(flagUid, { grain: 'day', since: 0 });
      return rows.reduce((sum, { yes, no }) => ({ yes: sum.yes + yes, no: sum.no + no }), { yes: 0, no: 0 });
    },
    close: () => database.close(),
  };
}
