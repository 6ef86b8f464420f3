/** The authors of entries, by name: each name is folded once, and entries are found by the ids of names. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { NewEntry } from '../../domain/history/entry.ts';
import { maskAddresses } from '../../domain/history/masked-addresses.ts';
import { inChunks } from './chunks.ts';
import { storable } from './entry-rows.ts';
import { fold } from './fold.ts';
import type { DatabaseKind, Db } from './tables.ts';

/** Keeps the number of parameters below the limit of a statement. */
const ROWS_PER_STATEMENT = 500;

type Authored = Pick<NewEntry, 'createdBy'> & { readonly id: number };

/** Names of Kubernetes users may be longer than an index takes. */
function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

export async function storeAuthors(db: Db, entries: readonly Authored[]): Promise<void> {
  for (const some of inChunks(entries, ROWS_PER_STATEMENT)) {
    const names = new Map(some.map(({ createdBy }) => [keyOf(createdBy), storable(createdBy)]));
    const values = [...names].map(([key, name]) => ({ key, folded: fold(name), masked: fold(maskAddresses(name)) }));
    await db
      .insertInto('authors')
      .values(values)
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute();
    const known = await db
      .selectFrom('authors')
      .select(['id', 'key'])
      .where('key', 'in', [...names.keys()])
      .execute();
    const ids = new Map(known.map(({ id, key }) => [key, id]));
    const rows = some.flatMap(({ id, createdBy }) => {
      const author = ids.get(keyOf(createdBy));
      return author === undefined ? [] : [{ id, author }];
    });
    await db.insertInto('authored').values(rows).execute();
  }
}

interface Wanted {
  readonly text: string;
  /** The reader sees masked names, and finds what it sees. */
  readonly masked: boolean;
}

/** The ids of the authors whose names contain the text. */
export async function authorsNamed(db: Db, kind: DatabaseKind, { text, masked }: Wanted): Promise<readonly number[]> {
  const folded = fold(text);
  if (folded.includes('\0') || !folded.isWellFormed()) return [];
  const column = sql.ref(masked ? 'masked' : 'folded');
  const place = kind === 'postgres' ? sql`strpos(${column}, ${folded})` : sql`instr(${column}, ${folded})`;
  const { rows } = await sql<{ id: number }>`select id from authors where ${place} > 0`.execute(db);
  return rows.map(({ id }) => id);
}
