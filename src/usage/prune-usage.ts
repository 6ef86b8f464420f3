/** Deletes usage that is older than its retention. */
import type { Connected } from '../audit/archive/reconnect.ts';
import { usageGrains } from '../audit/archive/usage-tables.ts';
import { DAY_MS } from '../model/clock.ts';

export interface UsageRetention {
  readonly hourlyMs: number;
  readonly dailyMs: number;
}

/** The retention of instances, edges and unknown names. */
export const SHORT_RETENTION_MS = DAY_MS;

/** Several replicas may run this at the same time. `now` is in ms since 1970. */
export async function pruneUsage(
  database: Pick<Connected, 'read' | 'write'>,
  { hourlyMs, dailyMs }: UsageRetention,
  now: number,
): Promise<void> {
  await pruneCounts(database, usageGrains.hour, now - hourlyMs);
  await pruneCounts(database, usageGrains.day, now - dailyMs);
  const deleteSeenBefore = (table: 'usage_applications' | 'usage_seen' | PrunedTable, before: number) =>
    database.write((db) => db.deleteFrom(table).where('last_at', '<', before).execute());
  for (const table of ['usage_instances', 'usage_edges', 'usage_unknown'] as const) {
    await deleteSeenBefore(table, now - SHORT_RETENTION_MS);
  }
  for (const table of ['usage_unknown', 'usage_instances', 'usage_edges', 'usage_sdks'] as const) {
    await pruneToNewest(database, table);
  }
  for (const table of ['usage_seen', 'usage_sdks', 'usage_applications'] as const) {
    await deleteSeenBefore(table, now - dailyMs);
  }
  await database.write((db) =>
    db
      .deleteFrom('usage_writers')
      .where('at', '<', now - hourlyMs)
      .execute(),
  );
}

type PrunedTable = 'usage_unknown' | 'usage_instances' | 'usage_edges' | 'usage_sdks';

/** A client may report any number of names. */
const MAX_ROWS = 20_000;

async function pruneToNewest(database: Pick<Connected, 'read' | 'write'>, table: PrunedTable): Promise<void> {
  const first = await database.read((db) =>
    db.selectFrom(table).select('last_at').orderBy('last_at', 'desc').offset(MAX_ROWS).limit(1).executeTakeFirst(),
  );
  if (first === undefined) return;
  await database.write((db) => db.deleteFrom(table).where('last_at', '<=', first.last_at).execute());
}

/** Deletes one hour or day at a time, so that other writers get the database in between. */
async function pruneCounts(database: Pick<Connected, 'read' | 'write'>, grain: number, before: number): Promise<void> {
  for (;;) {
    const oldest = await database.read((db) =>
      db
        .selectFrom('usage_counts')
        .select('at')
        .where('grain', '=', grain)
        .where('at', '<', before)
        .orderBy('at')
        .limit(1)
        .executeTakeFirst(),
    );
    if (oldest === undefined) return;
    await database.write((db) =>
      db.deleteFrom('usage_counts').where('grain', '=', grain).where('at', '=', oldest.at).execute(),
    );
  }
}
