/** Finds a page of entries, the newest first, and the total count. */
import { type RawBuilder, sql } from 'kysely';
import type { Found, Page } from '../../../domain/history/entry.ts';
import { loadEntries } from '../load-entries.ts';
import type { DatabaseKind, Db } from '../tables.ts';
import { allOf, type Conditions, type Facet, facetConditions, facets } from './conditions.ts';
import { SAMPLES } from './text-query-plan.ts';
import { entryContains, facetsOf, findMatches, planTextSearch } from './text-search.ts';

export interface Searching {
  readonly db: Db;
  readonly kind: DatabaseKind;
}

/** Filters with more values than this scan all entries instead, the newest first. */
const MAX_ARMS = 64;
/** Up to this number, text matches are sorted; with more matches, scanning the entries finds the next one soon. */
const FEW_MATCHES = 2_000;

export async function searchEntries(searching: Searching, conditions: Conditions, page: Page): Promise<Found> {
  const found = await (conditions.text === undefined
    ? findByFacets(searching, conditions, page)
    : findByText(searching, { ...conditions, text: conditions.text }, page));
  const { ids, ...count } = found;
  return { entries: await loadEntries(searching.db, ids), ...count };
}

type FoundCount = Omit<Found, 'entries'>;
type FoundIds = FoundCount & { readonly ids: readonly number[] };

/** Counts one row more than the page wants counted, which shows whether there are more. */
const bounded = (from: RawBuilder<unknown>, { countUpTo }: Page) =>
  countUpTo === undefined ? from : sql`(select 1 from ${from} limit ${countUpTo + 1}) as counted`;

function countOf(rows: number, { countUpTo = Number.POSITIVE_INFINITY }: Page): FoundCount {
  return rows > countUpTo ? { total: countUpTo, totalIsAtLeast: true } : { total: rows };
}

interface Counted {
  readonly page: Page;
  readonly rows: number;
}

/** Saves the search for a page past the end. */
async function pageOfCounted(searching: Searching, conditions: Conditions, { page, rows }: Counted): Promise<FoundIds> {
  const count = countOf(rows, page);
  const isPastEnd = !count.totalIsAtLeast && count.total <= page.offset;
  return { ids: isPastEnd ? [] : await pageOf(searching, conditions, page), ...count };
}

async function findByFacets(searching: Searching, conditions: Conditions, page: Page): Promise<FoundIds> {
  const where = facetConditions(conditions);
  // Without any condition, even one that is always true, SQLite counts by pages instead of rows.
  const counted = where.length === 0 ? sql`facets` : sql`facets as f where ${allOf(where)}`;
  const rows = await countRows(searching.db, bounded(counted, page));
  return pageOfCounted(searching, conditions, { page, rows });
}

type WithText = Conditions & { readonly text: string };

interface Match {
  readonly id: number;
  readonly created_at: number;
}

async function findByText(searching: Searching, conditions: WithText, page: Page): Promise<FoundIds> {
  const { db } = searching;
  const selected = await matchesOf(searching, conditions);
  const few = await fewMatches(db, selected);
  if (few.length <= FEW_MATCHES) return { ids: inOrder(few, page), ...countOf(few.length, page) };
  const rows = await countRows(db, bounded(selected.counted, page));
  return pageOfCounted(searching, conditions, { page, rows });
}

/** More than `FEW_MATCHES` results mean that the list is incomplete. */
async function fewMatches(db: Db, { matches }: Selected): Promise<readonly Match[]> {
  const { rows } = await sql<Match>`
    select f.id, f.created_at from ${matches} limit ${FEW_MATCHES + 1}`.execute(db);
  return rows;
}

interface Selected {
  /** The `from` part of a select of facets. */
  readonly matches: RawBuilder<unknown>;
  /** A source with the same number of rows, possibly without facets. */
  readonly counted: RawBuilder<unknown>;
}

/** Uses the text index, or searches the texts of the entries that the other conditions leave. */
async function matchesOf({ db, kind }: Searching, conditions: WithText): Promise<Selected> {
  const { text } = conditions;
  const where = facetConditions(conditions);
  const leaveAtMost = async (most: number) => where.length > 0 && (await areAtMost(db, where, most));
  const scanned = sql`facets as f where ${allOf([...where, entryContains(kind, text)])}`;
  const scan = { matches: scanned, counted: scanned };
  // A plan would read as many entries.
  if (await leaveAtMost(SAMPLES)) return scan;
  const search = await planTextSearch(db, kind, text);
  if (await leaveAtMost(search.maxToRead)) return scan;
  const found = await findMatches(db, kind, search);
  const matches = sql`${facetsOf(kind, found)} where ${found.where} and ${allOf(where)}`;
  const counted = where.length > 0 ? matches : sql`${found.source} where ${found.where}`;
  return { matches, counted };
}

async function areAtMost(db: Db, where: readonly RawBuilder<boolean>[], most: number): Promise<boolean> {
  const few = sql`(select 1 from facets as f where ${allOf(where)} limit ${most + 1}) as few`;
  return (await countRows(db, few)) <= most;
}

async function countRows(db: Db, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${from}`.execute(db);
  return rows[0]?.total ?? 0;
}

function inOrder(matches: readonly Match[], { offset, limit }: Page): number[] {
  const sorted = matches.toSorted((a, b) => b.created_at - a.created_at || b.id - a.id);
  return sorted.slice(offset, offset + limit).map(({ id }) => id);
}

async function pageOf({ db, kind }: Searching, conditions: Conditions, page: Page): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`${goingThrough(kind, conditions, page)}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * For each value of one list, an index yields the entries in the order of the answer: each arm takes as many as the
 * page needs, then the arms are merged.
 */
function goingThrough(kind: DatabaseKind, conditions: Conditions, { offset, limit }: Page): RawBuilder<unknown> {
  const lead = facets.find((facet) => (conditions.lists.get(facet)?.length ?? Number.POSITIVE_INFINITY) <= MAX_ARMS);
  const values = lead === undefined ? [undefined] : (conditions.lists.get(lead) ?? []);
  const arms = values.map((value) => arm(kind, conditions, { lead, value, needed: offset + limit }));
  return sql`select id from (${sql.join(arms, sql` union all `)}) as found
    order by created_at desc, id desc limit ${limit} offset ${offset}`;
}

interface Arm {
  readonly lead: Facet | undefined;
  readonly value: number | undefined;
  readonly needed: number;
}

function arm(kind: DatabaseKind, conditions: Conditions, { lead, value, needed }: Arm): RawBuilder<unknown> {
  const where = facetConditions(conditions, lead);
  if (lead !== undefined) where.push(sql`${sql.ref(`f.${lead}`)} = ${value}`);
  const { text } = conditions;
  if (text !== undefined) where.push(entryContains(kind, text));
  return sql`select * from (select f.id, f.created_at from facets as f where ${allOf(where)}
    order by f.created_at desc, f.id desc limit ${needed}) as arm`;
}
