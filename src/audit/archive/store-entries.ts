/** Stores entries with their index rows. */
import { sql } from 'kysely';
import type { NewEntry } from '../../domain/history/entry.ts';
import { abridgeAll } from './abridge.ts';
import { storeAuthors } from './authors.ts';
import { inChunks } from './chunks.ts';
import { toRow } from './entry-rows.ts';
import { maskedTextOf, searchTextOf } from './fold.ts';
import { numberAll, ownerOf } from './names.ts';
import type { DatabaseKind, Db } from './tables.ts';

/** Keeps the number of columns times rows below the parameter limit of a statement. */
const ROWS_PER_STATEMENT = 200;

export interface Storing {
  readonly db: Db;
  readonly kind: DatabaseKind;
  readonly publication: number;
}

type Stored = NewEntry & { readonly id: number };

/** Returns how many entries were new; existing entries are not replaced. */
export async function storeEntries(storing: Storing, entries: readonly NewEntry[]): Promise<number> {
  let count = 0;
  for (const some of inChunks(abridgeAll(entries), ROWS_PER_STATEMENT)) {
    const stored = await storeSome(storing, some);
    if (stored.length > 0) await makeFindable(storing, stored);
    count += stored.length;
  }
  return count;
}

async function storeSome({ db, publication }: Storing, entries: readonly NewEntry[]): Promise<Stored[]> {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const rows = await db
    .insertInto('entries')
    .values([...byKey.values()].map((entry) => toRow(entry, publication)))
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning(['id', 'key'])
    .execute();
  return rows.flatMap(({ id, key }) => {
    const entry = byKey.get(key);
    return entry === undefined ? [] : [{ ...entry, id }];
  });
}

async function makeFindable({ db, kind }: Storing, stored: readonly Stored[]): Promise<void> {
  const numbers = await numberAll(db, new Set(stored.flatMap(namesOf)));
  const number = (name: string | null) => (name === null ? 0 : (numbers.get(name) ?? 0));
  const facets = stored.map((entry) => ({
    id: entry.id,
    created_at: entry.createdAt,
    owner: number(ownerOf(entry)),
    type: number(entry.type),
    project: number(entry.project),
    environment: number(entry.environment),
    feature: number(entry.featureName),
    created_by: entry.createdByUserId,
  }));
  const texts = stored.map((entry) => ({ id: entry.id, folded: searchTextOf(entry) }));
  await db.insertInto('facets').values(facets).execute();
  await db.insertInto('texts').values(texts).execute();
  await storeMaskedTexts(db, stored);
  await storeAuthors(db, stored);
  if (kind === 'postgres') return;
  const rows = texts.map(({ id, folded }) => sql`(${id}, ${folded})`);
  await sql`insert into grams (rowid, folded) values ${sql.join(rows)}`.execute(db);
}

type Masked = Pick<Stored, 'id' | 'data' | 'preData' | 'tags'>;

export async function storeMaskedTexts(db: Db, entries: readonly Masked[]): Promise<void> {
  const masked = entries.flatMap((entry) => {
    const folded = maskedTextOf(entry);
    return folded === undefined ? [] : [{ id: entry.id, folded }];
  });
  if (masked.length > 0) await db.insertInto('masked_texts').values(masked).execute();
}

function namesOf(entry: NewEntry): string[] {
  const { type, project, environment, featureName } = entry;
  return [ownerOf(entry), type, project, environment, featureName].filter((name) => name !== null);
}
