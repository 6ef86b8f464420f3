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
  for (const table of ['usage_instances', 'usage_edges', 'usage_unknown'] as const) {
    await database.write((db) =>
      db
        .deleteFrom(table)
        .where('last_at', '<', now - SHORT_RETENTION_MS)
        .execute(),
    );
  }
  await pruneToNewest(database, 'usage_unknown');
  await pruneToNewest(database, 'usage_instances');
  await pruneToNewest(database, 'usage_edges');
  await pruneToNewest(database, 'usage_sdks');
  for (const table of ['usage_seen', 'usage_sdks', 'usage_applications'] as const) {
    await database.write((db) =>
      db
        .deleteFrom(table)
        .where('last_at', '<', now - dailyMs)
        .execute(),
    );
  }
  await database.write((db) =>
    db
      .deleteFrom('usage_writers')
      .where('at', '<', now - hourlyMs)
      .execute(),
  );
}

/** A client may report any number of names. */
const MAX_ROWS = 20_000;

async function pruneToNewest(
  database: Pick<Connected, 'read' | 'write'>,
  table: 'usage_unknown' | 'usage_instances' | 'usage_edges' | 'usage_sdks',
): Promise<void> {
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
