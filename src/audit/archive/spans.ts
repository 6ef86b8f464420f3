/** Splits all entries into spans of ids, for statements that cannot be cancelled. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

const FIRST_SPAN = 32;
/** A span that takes less time is followed by one of twice the size. */
const SPAN_MS = 40;

/** Yields conditions on an id, one per span; spans grow while the consumer is fast. */
export async function* spansOf(db: Db, id: RawBuilder<unknown>): AsyncIterable<RawBuilder<boolean>> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`select
    (select min(id) from facets) as first, (select max(id) from facets) as last`.execute(db);
  const { first, last } = rows[0] ?? {};
  if (first == null || last == null) return;
  let size = FIRST_SPAN;
  for (let from = first; from <= last; ) {
    const began = performance.now();
    yield sql<boolean>`${id} between ${from} and ${from + size - 1}`;
    from += size;
    size = performance.now() - began < SPAN_MS ? size * 2 : Math.max(FIRST_SPAN, Math.floor(size / 2));
  }
}

/** One span with all entries. */
export async function* oneSpan(): AsyncIterable<RawBuilder<boolean>> {
  yield sql<boolean>`1 = 1`;
}
