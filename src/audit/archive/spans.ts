/** Cuts all entries into spans of ids, for statements that nothing can end before they are through. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

const FIRST_SPAN = 32;
/** What takes less is followed by a span of twice as many. */
const SPAN_MS = 40;

/** Conditions on an id, each for the next span: with more entries for as long as what is done with each is quick. */
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

/** All of them at once. */
export async function* oneSpan(): AsyncIterable<RawBuilder<boolean>> {
  yield sql<boolean>`1 = 1`;
}
