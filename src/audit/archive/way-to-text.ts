/**
 * How a text is found soonest by trigrams. All of them one after the other take FTS5 as long as their lists of entries
 * are, and most of those that JSON is made of are in every entry; a sample of the entries tells which are in few.
 */
import { sql } from 'kysely';
import type { Db } from './tables.ts';

/** Few trigrams are found one after the other as fast as in any other way. */
const MANY_TRIGRAMS = 4;
/** FTS5 compares the places of each trigram with those of all others, within one entry for as long as there are any. */
const LONGEST_PHRASE = 8;
const SAMPLES = 200;
/** What is looked at of a sample, and of a text: enough for a guess, whatever both hold. */
const SAMPLE_CHARACTERS = 4_000;
const COUNTED_TRIGRAMS = 64;
/** So few entries are read and compared that this takes less time than the order of the trigrams. */
const FEW = 0.05;
/** So many are still sooner found by their rarest trigrams than by reading all. */
const HALF = 0.5;
const RAREST = 3;
/** Entries in lists of trigrams that are gone through in the time in which one text is looked into. */
const LISTED_FOR_ONE_READ = 9;

/** `phrase`: all in their order; `rarest`: these, and then the texts they lead to; `read`: the text of every entry. */
export type Way =
  | { readonly by: 'phrase' }
  | { readonly by: 'read' }
  | { readonly by: 'rarest'; readonly trigrams: readonly string[] };

export async function chooseWay(db: Db, text: string): Promise<Way> {
  const trigrams = trigramsOf(text);
  if (trigrams.length <= MANY_TRIGRAMS) return { by: 'phrase' };
  const samples = await readSamples(db);
  const counted = someOf([...new Set(trigrams)]).map((trigram) => ({
    trigram,
    count: samples.filter((sample) => sample.includes(trigram)).length,
  }));
  const rarest = counted
    .toSorted((a, b) => a.count - b.count)
    .slice(0, RAREST)
    .map(({ trigram }) => trigram);
  const found = samples.filter((sample) => rarest.every((trigram) => sample.includes(trigram)));
  const byRarest: Way = { by: 'rarest', trigrams: rarest };
  if (found.length <= samples.length * FEW) return byRarest;
  const listed = counted.reduce((sum, { count }) => sum + count, 0);
  const isShort = trigrams.length <= LONGEST_PHRASE;
  if (isShort && listed <= samples.length * LISTED_FOR_ONE_READ) return { by: 'phrase' };
  return found.length <= samples.length * HALF ? byRarest : { by: 'read' };
}

function trigramsOf(text: string): string[] {
  const characters = Array.from(text);
  return characters.slice(2).map((last, index) => `${characters[index]}${characters[index + 1]}${last}`);
}

/** From everywhere in the list evenly. */
function someOf(trigrams: readonly string[]): readonly string[] {
  const apart = Math.ceil(trigrams.length / COUNTED_TRIGRAMS);
  return trigrams.filter((_, index) => index % apart === 0);
}

/** From all times evenly. */
async function readSamples(db: Db): Promise<readonly string[]> {
  const { rows: ends } = await sql<{ first: number | null; last: number | null }>`select
    (select min(id) from texts) as first, (select max(id) from texts) as last`.execute(db);
  const { first, last } = ends[0] ?? {};
  if (first == null || last == null) return [];
  const ids = Array.from({ length: SAMPLES }, (_, index) => first + Math.floor(((last - first) * index) / SAMPLES));
  const rows = await db
    .selectFrom('texts')
    .select(sql<string>`substr(folded, 1, ${SAMPLE_CHARACTERS})`.as('folded'))
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return rows.map(({ folded }) => folded);
}
