/** Yields all matching entries, the oldest first, in pages. */
import { sql } from 'kysely';
import type { Entry, EntryFilter } from '../../domain/history/entry.ts';
import { loadFitting } from './load-entries.ts';
import type { Connected } from './reconnect.ts';
import { allOf, type Conditions, conditionsOf, facetConditions } from './search/conditions.ts';
import { entryContains } from './search/text-search.ts';
import type { DatabaseKind, Db } from './tables.ts';

const PAGE = 300;
/** Entries scanned for one page: keeps each search short even if few entries match. */
const STRETCH = 20_000;

interface Span {
  readonly after: number;
  readonly last: number;
}

export async function* streamEntries(
  connected: Connected,
  filter: EntryFilter,
  signal: AbortSignal,
): AsyncIterable<Entry> {
  signal.throwIfAborted();
  const start = await connected.search(signal, async (db, kind) => ({
    conditions: await conditionsOf(db, kind, filter),
    last: await highestId(db),
  }));
  const { conditions, last } = start;
  if (conditions === undefined) return;
  for (let after = 0; after < last; ) {
    signal.throwIfAborted();
    const from = after;
    const page = await connected.search(signal, (db, kind) =>
      readPage({ db, kind, conditions }, { after: from, last }),
    );
    for (const entry of page.entries) {
      signal.throwIfAborted();
      yield entry;
    }
    after = page.next;
  }
}

async function highestId(db: Db): Promise<number> {
  const row = await db.selectFrom('facets').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? 0;
}

interface EntryQuery {
  readonly db: Db;
  readonly kind: DatabaseKind;
  readonly conditions: Conditions;
}

async function readPage(
  { db, kind, conditions }: EntryQuery,
  { after, last }: Span,
): Promise<{ entries: Entry[]; next: number }> {
  const end = Math.min(after + STRETCH, last);
  const where = [sql<boolean>`f.id > ${after}`, sql<boolean>`f.id <= ${end}`, ...facetConditions(conditions)];
  if (conditions.text !== undefined) where.push(entryContains(kind, conditions.text));
  const { rows } = await sql<{ id: number }>`
    select f.id from facets as f where ${allOf(where)} order by f.id limit ${PAGE}`.execute(db);
  const ids = rows.map(({ id }) => id);
  const entries = await loadFitting(db, ids);
  const isToTheEnd = ids.length < PAGE && entries.length === ids.length;
  return { entries, next: isToTheEnd ? end : (entries.at(-1)?.id ?? ids.at(-1) ?? end) };
}
