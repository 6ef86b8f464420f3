/** States in the chain what retention deletes, and drops links of which nothing is left. */
import { sql } from 'kysely';
import { CHAIN_START, type ChainPlace, type RetentionContent, retentionIn } from '../../../domain/history/chain.ts';
import type { DatabaseKind, Db } from '../tables.ts';
import { addStatement, holdChain } from './amend.ts';
import { statement } from './append-links.ts';

/** Links that are dropped at once; the rest is dropped with the next link. */
const MAX_DROPPED = 20_000;

export interface RetentionEdge {
  /** Ms since 1970: older entries and versions are about to be deleted. */
  readonly before: number;
  readonly at: number;
}

/**
 * Before old rows are deleted, the chain states from which time on rows must be there. Links are kept until everything
 * before them is gone, as each is needed to compute the next; then the link states where the chain begins.
 */
export async function linkRetention(db: Db, kind: DatabaseKind, { before, at }: RetentionEdge): Promise<boolean> {
  const last = await holdChain(db, kind);
  if (last.n === 0) return false;
  const stated = await lastRetention(db);
  const dropped = await lastDropped(db, last, before);
  if (dropped === undefined && !(await isAnyBetween(db, stated?.before ?? 0, before))) return false;
  const place = dropped ?? { n: (stated?.from ?? 1) - 1, link: stated?.previous ?? CHAIN_START.link };
  // A longer retention brings no row back.
  const edge = Math.max(before, stated?.before ?? 0);
  const content: RetentionContent = { before: edge, from: place.n + 1, previous: place.link };
  await addStatement(db, last, statement('retention', at, { ...content }));
  await db.deleteFrom('links').where('n', '<=', place.n).execute();
  await db.deleteFrom('amendments').where('n', '<=', place.n).execute();
  // The head at the place where the chain begins can still be compared.
  await db.deleteFrom('heads').where('n', '<', place.n).execute();
  return true;
}

/** Whether rows are from this time: those that are linked, and those that will be. */
async function isAnyBetween(db: Db, from: number, before: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from (select 1) as one where
      exists (select 1 from links as l where l.kind in ('entry', 'version') and l.at >= ${from} and l.at < ${before})
      or exists (select 1 from entries as e where e.linked = 0 and e.created_at < ${before})
      or exists (select 1 from versions as v where v.linked = 0 and v.from_at < ${before})`.execute(db);
  return rows.length > 0;
}

/** The last link that can be dropped: it and all before it are about rows that are gone. Undefined: none can. */
async function lastDropped(db: Db, last: ChainPlace, before: number): Promise<ChainPlace | undefined> {
  const { rows } = await sql<{ n: number }>`
    select l.n from links as l where (l.kind in ('entry', 'version')) and (l.at >= ${before}
      or (l.kind = 'entry' and exists (select 1 from entries as e where e.id = l.ref))
      or (l.kind = 'version' and exists (select 1 from versions as v where v.id = l.ref)))
    order by l.n limit 1`.execute(db);
  const lowest = await db.selectFrom('links').select('n').orderBy('n').limit(1).executeTakeFirst();
  const start = (lowest?.n ?? 1) - 1;
  const end = Math.min((rows[0]?.n ?? last.n + 1) - 1, start + MAX_DROPPED);
  if (end <= start) return undefined;
  return db.selectFrom('links').select(['n', 'link']).where('n', '=', end).executeTakeFirstOrThrow();
}

/** What the last statement says; undefined: there is none, or somebody has altered it. */
export async function lastRetention(db: Db): Promise<RetentionContent | undefined> {
  const stated = await db
    .selectFrom('links')
    .select('content')
    .where('kind', '=', 'retention')
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst();
  return retentionIn(stated?.content ?? '');
}
