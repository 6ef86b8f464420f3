/** Commits rows that were rewritten on purpose, so that the chain still verifies. */
import { sql } from 'kysely';
import {
  type AmendedRow,
  type ChainPlace,
  digestOfAmended,
  type NewLink,
  nextLink,
  type RowKind,
  saltedDigest,
} from '../../../domain/history/chain.ts';
import type { DatabaseKind, Db } from '../tables.ts';
import { newSalt, readChainPlace, statement } from './append-links.ts';
import { entryContents, type RowContent, versionContents } from './row-contents.ts';

/** Bounds the parameters of a statement. */
const ROWS_PER_STATEMENT = 200;

export interface Amending {
  readonly entries: readonly number[];
  readonly versions: readonly number[];
  /** Why, without the name of a person. */
  readonly reason: string;
  /** Ms since 1970. */
  readonly at: number;
}

/**
 * To be called in the transaction that rewrites the rows, before it reads them: other writers of the chain wait until
 * it ends. In SQLite a transaction is the only writer anyway.
 */
export async function holdChain(db: Db, kind: DatabaseKind): Promise<ChainPlace> {
  if (kind === 'postgres') await sql`select n from chain where id = 1 for update`.execute(db);
  return readChainPlace(db);
}

/** Adds a link in the transaction that holds the chain; returns its number. */
export async function addStatement(db: Db, last: ChainPlace, given: NewLink): Promise<number> {
  const link = nextLink(last, given);
  await db.insertInto('links').values(link).execute();
  await db.updateTable('chain').set({ n: link.n, link: link.link }).where('id', '=', 1).execute();
  return link.n;
}

/**
 * Commits the present contents of these rows, in the transaction that has rewritten them. The salts of their links are
 * deleted, so that nobody can find out what the rows said before by trying. Always moves the chain, even if no row is
 * linked yet: a link that is being made from the former content of a row is then refused.
 */
export async function amend(db: Db, kind: DatabaseKind, { entries, versions, reason, at }: Amending): Promise<void> {
  const last = await holdChain(db, kind);
  const rows = await amendedRows(db, { entry: entries, version: versions });
  const content = { reason, rows: rows.length, digest: digestOfAmended(rows) };
  const n = await addStatement(db, last, statement('amendment', at, content));
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const some = rows.slice(start, start + ROWS_PER_STATEMENT);
    await db
      .insertInto('amendments')
      .values(some.map((row) => ({ ...row, n })))
      .execute();
  }
  await forget(db, 'entry', entries);
  await forget(db, 'version', versions);
}

/** Rows that are not linked yet are linked as they are now. */
async function amendedRows(db: Db, refs: Readonly<Record<RowKind, readonly number[]>>): Promise<readonly AmendedRow[]> {
  const linked = sql`linked = 1`;
  const rows: RowContent[] = [];
  for (const some of inParts(refs.entry)) {
    rows.push(...(await entryContents(db, sql`e.id in (${sql.raw(some)}) and ${linked}`, ROWS_PER_STATEMENT)));
  }
  for (const some of inParts(refs.version)) {
    rows.push(...(await versionContents(db, sql`v.id in (${sql.raw(some)}) and ${linked}`, ROWS_PER_STATEMENT)));
  }
  return rows.map(({ kind, ref, content }) => {
    const salt = newSalt();
    return { kind, ref, salt, digest: saltedDigest(salt, content) };
  });
}

/** Also of earlier amendments of the same rows. */
async function forget(db: Db, kind: RowKind, refs: readonly number[]): Promise<void> {
  for (const some of inParts(refs)) {
    const which = sql`kind = ${sql.lit(kind)} and ref in (${sql.raw(some)})`;
    await sql`update links set salt = null where ${which}`.execute(db);
    await sql`update amendments set salt = '' where ${which}
      and n < (select max(a.n) from amendments as a where a.kind = amendments.kind and a.ref = amendments.ref)`.execute(
      db,
    );
  }
}

/** Lists of ids for statements. */
function inParts(refs: readonly number[]): readonly string[] {
  const whole = refs.map((ref) => Math.trunc(ref));
  const count = Math.ceil(whole.length / ROWS_PER_STATEMENT);
  return Array.from({ length: count }, (_, index) =>
    whole.slice(index * ROWS_PER_STATEMENT, (index + 1) * ROWS_PER_STATEMENT).join(', '),
  );
}
