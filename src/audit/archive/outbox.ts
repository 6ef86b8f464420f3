/** The outbox: tracks which entries' Events are published. */
import { sql } from 'kysely';
import type { Entry } from '../../domain/history/entry.ts';
import { FIELD_MANAGER_PREFIX, UNKNOWN_AUTHOR } from '../../domain/history/witness.ts';
import type { Backlog, PublicationOutcome } from './archive.ts';
import { fromRow, publications } from './entry-rows.ts';
import { defineUpdate, type Script, stepOf } from './statement.ts';
import type { Db } from './tables.ts';
import { witnessedEntries } from './witnesses/log-store.ts';

interface Unpublished {
  readonly limit: number;
  readonly after: number | undefined;
  readonly unnamedBefore: number | undefined;
}

export async function readUnpublished(db: Db, { limit, after = 0, unnamedBefore }: Unpublished): Promise<Entry[]> {
  const waiting = db
    .selectFrom('entries')
    .selectAll()
    .where('publication', '=', sql.lit(publications.waiting))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
  const named =
    unnamedBefore === undefined
      ? waiting
      : waiting.where(
          sql<boolean>`(created_at < ${unnamedBefore} or channel in ('console', 'api', 'alert', 'time')
            or not (created_by = ${UNKNOWN_AUTHOR} or created_by like ${`${FIELD_MANAGER_PREFIX}%`})
            or exists (select 1 from witnesses as w where w.id = entries.id))`,
        );
  const rows = await named.execute();
  return witnessedEntries(db, rows.map(fromRow));
}

const settle = defineUpdate(
  'entries',
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
