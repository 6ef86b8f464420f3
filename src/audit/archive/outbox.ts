/** The outbox: tracks which entries' Events are published. */
import { sql } from 'kysely';
import type { Entry } from '../../domain/history/entry.ts';
import type { Backlog, PublicationOutcome } from './archive.ts';
import { fromRow, publications } from './entry-rows.ts';
import { defineStatement, type Script, stepOf } from './statement.ts';
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

const settle = defineStatement(
  { id: 'bigint', publication: 'bigint' },
  (source) => `update entries set publication = r.publication from ${source} where entries.id = r.id`,
);

export function settleEntries(ids: readonly number[], how: PublicationOutcome): Script {
  return [
    stepOf(
      settle,
      ids.map((id) => ({ id, publication: publications[how] })),
    ),
  ];
}

export async function readBacklog(db: Db): Promise<Backlog> {
  const row = await db
    .selectFrom('entries')
    .select((entry) => [entry.fn.countAll<number>().as('count'), entry.fn.min('created_at').as('oldest')])
    .where('publication', '=', sql.lit(publications.waiting))
    .executeTakeFirst();
  return { count: row?.count ?? 0, oldest: row?.oldest ?? undefined };
}
