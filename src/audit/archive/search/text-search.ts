/** SQL for finding entries whose text contains a query, for each database. */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind, Db } from '../tables.ts';
import { chooseQueryPlan, estimateMatches } from './text-query-plan.ts';

/** The source of text matches, before other conditions. */
export interface Matches {
  readonly source: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  readonly where: RawBuilder<boolean>;
}

/** Shorter texts are not in the trigram index. */
const MIN_INDEXED_LENGTH = 3;

/** The cost of glob grows with the length of the pattern. */
const MAX_GLOB_LENGTH = 16;

/**
 * Condition that searches the text, for entries that are scanned anyway. In SQLite it can be cancelled at each entry.
 */
export function containsText(kind: DatabaseKind, text: string): RawBuilder<boolean> {
  if (kind === 'postgres') return sql<boolean>`strpos(t.folded, ${text}) > 0`;
  if (text.length > MAX_GLOB_LENGTH) return sql<boolean>`contains(t.folded, ${text})`;
  // Twice as fast, because the text does not cross into JavaScript.
  return sql<boolean>`case when goes_on() then t.folded glob ${`*${text.replaceAll(/[*?[]/g, '[$&]')}*`} end`;
}

/**
 * The condition for an entry in `facets as f`. The subquery is evaluated last; with a join PostgreSQL may search the
 * texts of all entries before it applies the other conditions.
 */
export function entryContains(kind: DatabaseKind, text: string): RawBuilder<boolean> {
  return sql<boolean>`(select ${containsText(kind, text)} from texts as t where t.id = f.id)`;
}

/** Joins `facets as f` to the matches. */
export function facetsOf(kind: DatabaseKind, { source, id }: Matches): RawBuilder<unknown> {
  // SQLite does not reorder a cross join.
  const join = sql.raw(kind === 'sqlite' ? 'cross join' : 'join');
  return sql`${source} ${join} facets as f on f.id = ${id}`;
}

/** If other conditions leave at most this number of entries, the text of each is searched. */
const FEW_ENTRIES = 30_000;
/** pg_trgm takes trigrams from words only; other texts are compared with all entries of the index. */
const INDEXED_BY_POSTGRES = /[\p{L}\p{N}]{3}/u;
/** Share of entries from which PostgreSQL reads all texts sooner than it finds them by the index. */
const COMMON = 0.5;

/** How a text is searched. */
export interface TextSearch {
  readonly text: string;
  /** Reading all texts is faster than the index. */
  readonly isCommon: boolean;
  /** The number of entries up to which reading the text of each is faster than the index. */
  readonly maxToRead: number;
}

/** In PostgreSQL, an estimate from a sample decides, because its planner cannot estimate how many texts match. */
export async function planTextSearch(db: Db, kind: DatabaseKind, text: string): Promise<TextSearch> {
  if (kind === 'sqlite' || !INDEXED_BY_POSTGRES.test(text)) return { text, isCommon: false, maxToRead: FEW_ENTRIES };
  const { share, matches } = await estimateMatches(db, text);
  // The index compares the text of each match, too.
  return { text, isCommon: share > COMMON, maxToRead: Math.min(FEW_ENTRIES, Math.ceil(matches)) };
}

/** Uses an index if possible. */
export async function findMatches(db: Db, kind: DatabaseKind, { text, isCommon }: TextSearch): Promise<Matches> {
  const inTexts = { source: sql`texts as t`, id: sql`t.id`, where: containsText(kind, text) };
  if (kind === 'postgres') {
    return isCommon ? inTexts : { ...inTexts, where: sql`t.folded like ${pattern(text)} escape '\\'` };
  }
  if (Array.from(text).length < MIN_INDEXED_LENGTH) return inTexts;
  const plan = await chooseQueryPlan(db, text);
  if (plan.by === 'read') return inTexts;
  if (plan.by === 'phrase') {
    // Can be cancelled at each match; the index is read in between, which takes less than reading texts.
    return { source: sql`grams`, id: sql`grams.rowid`, where: sql`grams match ${quoted(text)} and goes_on()` };
  }
  return {
    ...inTexts,
    source: sql`grams cross join texts as t on t.id = grams.rowid`,
    where: sql`grams match ${plan.trigrams.map(quoted).join(' AND ')} and ${inTexts.where}`,
  };
}

/** An FTS5 phrase: its trigrams in order are equivalent to the text. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function pattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
