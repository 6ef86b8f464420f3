/** Deletes old entries whose Events are settled, with their index rows. */
import { sql } from 'kysely';
import { pruneAuthors } from './authors.ts';
import type { DatabaseKind, Db } from './tables.ts';

export interface Pruning {
  /** Ms since 1970, exclusive. */
  readonly before: number;
  readonly limit: number;
}

export async function pruneEntries(db: Db, kind: DatabaseKind, { before, limit }: Pruning): Promise<number> {
  const rows = await db
    .selectFrom('entries')
    .select('id')
    .where('publication', '>', sql.lit(0))
    .where('created_at', '<', before)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  const ids = sql.raw(rows.map(({ id }) => id).join(', '));
  for (const table of ['facets', 'texts', 'masked_texts', 'authored', 'witnesses', 'entries'] as const) {
    await sql`delete from ${sql.table(table)} where id in (${ids})`.execute(db);
  }
  await pruneAuthors(db);
  if (kind === 'sqlite') await sql`delete from grams where rowid in (${ids})`.execute(db);
  return rows.length;
}
