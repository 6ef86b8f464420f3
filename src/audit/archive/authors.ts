/** The authors of entries, by name: each name is folded once, and entries are found by the ids of names. */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { NewEntry } from '../../domain/history/entry.ts';
import { maskAddresses } from '../../domain/history/masked-addresses.ts';
import { storable } from './entry-rows.ts';
import { fold } from './fold.ts';
import { defineStatement, type Script, stepOf } from './statement.ts';
import type { DatabaseKind, Db } from './tables.ts';

/** Names of Kubernetes users may be longer than an index takes. */
export function authorKeyOf(name: string): string {
  return hash('sha256', name);
}

/** Rows are inserted in one order, so that two writers wait for each other at most once. */
export const insertAuthors = defineStatement(
  { key: 'text', folded: 'text', masked: 'text' },
  (source) => `insert into authors (key, folded, masked) select r.key, r.folded, r.masked from ${source}
    where not exists (select 1 from authors as a where a.key = r.key) order by r.key on conflict (key) do nothing`,
);

const insertAuthored = defineStatement(
  { entry: 'text', author: 'text' },
  (source) => `insert into authored (id, author)
    select (select id from entries where key = r.entry), (select id from authors where key = r.author)
    from ${source} where true on conflict (id) do nothing`,
);

/** A row of the table `authors`. */
export function toAuthorRow(createdBy: string) {
  const name = storable(createdBy);
  return { key: authorKeyOf(createdBy), folded: fold(name), masked: fold(maskAddresses(name)) };
}

export function authorSteps(entries: readonly NewEntry[]): Script {
  const rows = new Map(
    [...new Set(entries.map(({ createdBy }) => createdBy))].map((name) => [name, toAuthorRow(name)]),
  );
  const authored = entries.map(({ key, createdBy }) => ({ entry: key, author: rows.get(createdBy)?.key ?? '' }));
  return [stepOf(insertAuthors, [...rows.values()]), stepOf(insertAuthored, authored)];
}

/** Deletes the authors that no entry has any more. */
export async function pruneAuthors(db: Db): Promise<void> {
  await sql`delete from authors where not exists (select 1 from authored as a where a.author = authors.id)`.execute(db);
}

interface AuthorQuery {
  readonly text: string;
  /** Whether the reader sees masked names: then the masked names are searched. */
  readonly masked: boolean;
}

/** The ids of the authors whose names contain the text. */
export async function authorsNamed(
  db: Db,
  kind: DatabaseKind,
  { text, masked }: AuthorQuery,
): Promise<readonly number[]> {
  const folded = fold(text);
  if (folded.includes('\0') || !folded.isWellFormed()) return [];
  const column = sql.ref(masked ? 'masked' : 'folded');
  const place = kind === 'postgres' ? sql`strpos(${column}, ${folded})` : sql`instr(${column}, ${folded})`;
  const { rows } = await sql<{ id: number }>`select id from authors where ${place} > 0`.execute(db);
  return rows.map(({ id }) => id);
}
