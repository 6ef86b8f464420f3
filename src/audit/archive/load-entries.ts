/** Reads entries by id; limits the content that is loaded into memory at once. */
import { sql } from 'kysely';
import type { Entry } from '../../domain/history/entry.ts';
import { fromRow } from './entry-rows.ts';
import { inChunks } from './sql.ts';
import type { Db } from './tables.ts';
import { witnessedEntries } from './witnesses/log-store.ts';

/** Limit for the content of one read; the first entry is always read whole. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Entries up to this size are read whole even beyond the limit. */
const LITTLE_BYTES = 4 * 1024;
const ROWS_PER_STATEMENT = 1000;

/**
 * Returns entries in the order of the ids, without those pruned meanwhile. Entries beyond the limit have no content.
 */
export async function loadEntries(db: Db, ids: readonly number[]): Promise<Entry[]> {
  const sizes = await sizesOf(db, ids);
  const fitting = new Set(fittingOf(ids, sizes));
  const isWhole = (id: number) => fitting.has(id) || (sizes.get(id) ?? 0) <= LITTLE_BYTES;
  const found = new Map<number, Entry>();
  for (const entry of await loadWhole(db, ids.filter(isWhole))) found.set(entry.id, entry);
  const rest = ids.filter((id) => !isWhole(id));
  for (const entry of await loadWithoutContent(db, rest)) {
    found.set(entry.id, { ...entry, data: { abridged: { bytes: sizes.get(entry.id) ?? 0 } } });
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Returns entries in the order of the ids, up to the limit. */
export async function loadFitting(db: Db, ids: readonly number[]): Promise<Entry[]> {
  return loadWhole(db, fittingOf(ids, await sizesOf(db, ids)));
}

type Sizes = ReadonlyMap<number, number>;

async function sizesOf(db: Db, ids: readonly number[]): Promise<Sizes> {
  const bytes = sql<number>`coalesce(octet_length(data), 0) + coalesce(octet_length(pre_data), 0) + octet_length(tags)`;
  const sizes = new Map<number, number>();
  for (const some of inChunks(ids, ROWS_PER_STATEMENT)) {
    const rows = await db
      .selectFrom('entries')
      .select(['id', bytes.as('bytes')])
      .where('id', 'in', some)
      .execute();
    for (const row of rows) sizes.set(row.id, row.bytes);
  }
  return sizes;
}

/** The ids from the first one up to the limit. */
function fittingOf(ids: readonly number[], sizes: Sizes): readonly number[] {
  let sum = 0;
  const beyond = ids.findIndex((id, index) => {
    sum += sizes.get(id) ?? 0;
    return sum > MAX_BYTES && index > 0;
  });
  return beyond === -1 ? ids : ids.slice(0, beyond);
}

async function loadWhole(db: Db, ids: readonly number[]): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const some of inChunks(ids, ROWS_PER_STATEMENT)) {
    const rows = await db.selectFrom('entries').selectAll().where('id', 'in', some).orderBy('id').execute();
    found.push(...rows.map(fromRow));
  }
  return witnessedEntries(db, found);
}

const withoutContent = [
  ...(['id', 'key', 'created_at', 'type', 'project', 'environment', 'feature_name', 'subject'] as const),
  ...(['created_by', 'created_by_user_id', 'ip', 'resource', 'namespace', 'object', 'uid'] as const),
  ...(['from_version', 'to_version', 'coalesced', 'restored', 'earliest_at', 'publication'] as const),
  ...(['channel', 'field_manager', 'reason'] as const),
];

async function loadWithoutContent(db: Db, ids: readonly number[]): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const some of inChunks(ids, ROWS_PER_STATEMENT)) {
    const rows = await db.selectFrom('entries').select(withoutContent).where('id', 'in', some).execute();
    found.push(...rows.map((row) => fromRow({ ...row, data: null, pre_data: null, tags: '[]' })));
  }
  return witnessedEntries(db, found);
}
