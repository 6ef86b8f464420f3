/** Deletes the history that is older than its retention. */
import { sql } from 'kysely';
import { pruneAuthors } from './authors.ts';
import type { DatabaseKind, Db } from './tables.ts';

interface Pruning {
  /** Ms since 1970, exclusive. */
  readonly before: number;
  readonly limit: number;
}

/** Deletes old entries whose Events are settled, with their index rows. */
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
  const ids = integers(rows.map(({ id }) => id));
  for (const table of ['facets', 'texts', 'masked_texts', 'authored', 'witnesses', 'entries'] as const) {
    await sql`delete from ${sql.table(table)} where id in (${ids})`.execute(db);
  }
  await pruneAuthors(db);
  if (kind === 'sqlite') await sql`delete from grams where rowid in (${ids})`.execute(db);
  return rows.length;
}

interface Superseded {
  readonly id: number;
  readonly tracked: number;
  readonly content: number | null;
}

/**
 * Deletes versions that were superseded long ago; the version in force at the edge stays. The deletion of an object is
 * its last version to go, as an object without it would exist.
 */
export async function pruneVersions(db: Db, kind: DatabaseKind, { before, limit }: Pruning): Promise<number> {
  // A batch moves its cursor first, so that no new version refers to a content that is deleted here.
  if (kind === 'postgres') await sql`select scope from cursors order by scope for update`.execute(db);
  await sql`update version_scopes set since = ${before} where since < ${before}`.execute(db);
  const { rows } = await sql<Superseded>`
    select v.id, v.tracked, v.content from versions as v where v.from_at < ${before} and (
      exists (select 1 from versions as w where w.tracked = v.tracked and w.id > v.id and w.from_at < ${before})
      or (v.content is null and not exists (select 1 from versions as w where w.tracked = v.tracked and w.id <> v.id)))
    order by v.from_at, v.id limit ${limit}`.execute(db);
  if (rows.length === 0) return 0;
  await sql`delete from versions where id in (${integers(rows.map(({ id }) => id))})`.execute(db);
  const contents = [...new Set(rows.flatMap(({ content }) => content ?? []))];
  if (contents.length > 0) {
    await sql`delete from contents where id in (${integers(contents)})
      and not exists (select 1 from versions as v where v.content = contents.id)`.execute(db);
  }
  await sql`delete from tracked where id in (${integers(rows.map(({ tracked }) => tracked))})
    and not exists (select 1 from versions as v where v.tracked = tracked.id)`.execute(db);
  return rows.length;
}

function integers(values: readonly number[]) {
  return sql.raw(values.map((value) => Math.trunc(value)).join(', '));
}
