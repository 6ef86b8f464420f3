/** The outbox: tracks which entries' Events are published. */
import { sql } from 'kysely';
import type { Entry } from '../../domain/history/entry.ts';
import type { Backlog, PublicationOutcome } from './archive.ts';
import { inChunks } from './chunks.ts';
import { fromRow, publications } from './entry-rows.ts';
import type { Db } from './tables.ts';

export async function readUnpublished(db: Db, limit: number, after = 0): Promise<Entry[]> {
  const rows = await db
    .selectFrom('entries')
    .selectAll()
    .where('publication', '=', sql.lit(publications.waiting))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

export async function settleEntries(db: Db, ids: readonly number[], how: PublicationOutcome): Promise<void> {
  for (const some of inChunks(ids, 1000)) {
    await db.updateTable('entries').set({ publication: publications[how] }).where('id', 'in', some).execute();
  }
}

export async function readBacklog(db: Db): Promise<Backlog> {
  const row = await db
    .selectFrom('entries')
    .select((entry) => [entry.fn.countAll<number>().as('count'), entry.fn.min('created_at').as('oldest')])
    .where('publication', '=', sql.lit(publications.waiting))
    .executeTakeFirst();
  return { count: row?.count ?? 0, oldest: row?.oldest ?? undefined };
}
