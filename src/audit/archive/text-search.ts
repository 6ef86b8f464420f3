/** How each database finds the entries whose text contains another. */
import { type RawBuilder, sql } from 'kysely';
import type { Db, Kind } from './tables.ts';
import { chooseWay } from './way-to-text.ts';

/** Where the matches of a text come from, before anything else is asked of them. */
export interface Matches {
  readonly source: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  readonly where: RawBuilder<boolean>;
  /** A statement over all of them cannot be ended: they are to be gone through by spans of ids. */
  readonly isBySpans: boolean;
}

/** What is shorter is in no index of trigrams. */
const SHORTEST_INDEXED = 3;

/** Glob compares anew at each character, so what it takes grows with the length of what is looked for. */
const LONGEST_BY_GLOB = 16;

/** By looking into the text: for entries that are gone through anyway. In SQLite a signal ends it at each of them. */
export function containsText(kind: Kind, text: string): RawBuilder<boolean> {
  if (kind === 'postgres') return sql<boolean>`strpos(t.folded, ${text}) > 0`;
  if (text.length > LONGEST_BY_GLOB) return sql<boolean>`contains(t.folded, ${text})`;
  // In half of the time, as the text is not handed to JavaScript.
  return sql<boolean>`case when goes_on() then t.folded glob ${`*${text.replaceAll(/[*?[]/g, '[$&]')}*`} end`;
}

/**
 * The same of an entry in `facets as f`. Asked in a subquery, it is asked last: as a join PostgreSQL may look into the
 * texts of all entries before it leaves out those that other conditions do.
 */
export function entryContains(kind: Kind, text: string): RawBuilder<boolean> {
  return sql<boolean>`(select ${containsText(kind, text)} from texts as t where t.id = f.id)`;
}

/** `facets as f` beside the matches, of which each is looked up there. */
export function facetsOf(kind: Kind, { source, id }: Matches): RawBuilder<unknown> {
  // SQLite keeps the order of a cross join.
  const join = sql.raw(kind === 'sqlite' ? 'cross join' : 'join');
  return sql`${source} ${join} facets as f on f.id = ${id}`;
}

/** Through an index, where there is one. */
export async function findMatches(db: Db, kind: Kind, text: string): Promise<Matches> {
  const inTexts = { source: sql`texts as t`, id: sql`t.id`, where: containsText(kind, text), isBySpans: false };
  if (kind === 'postgres') return { ...inTexts, where: sql`t.folded like ${pattern(text)} escape '\\'` };
  if (Array.from(text).length < SHORTEST_INDEXED) return inTexts;
  const way = await chooseWay(db, text);
  if (way.by === 'read') return inTexts;
  if (way.by === 'phrase') {
    return { source: sql`grams`, id: sql`grams.rowid`, where: sql`grams match ${quoted(text)}`, isBySpans: true };
  }
  return {
    ...inTexts,
    source: sql`grams cross join texts as t on t.id = grams.rowid`,
    where: sql`grams match ${way.trigrams.map(quoted).join(' AND ')} and ${inTexts.where}`,
  };
}

/** For FTS5 its trigrams one after the other, which is the same as the text. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function pattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
