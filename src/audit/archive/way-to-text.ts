/**
 * How a text is found soonest by trigrams. All of them one after the other take FTS5 as long as their lists of entries
 * are, and most of those that JSON is made of are in every entry; a sample of the entries tells which are in few.
 */
import { sql } from 'kysely';
import type { Db } from './tables.ts';

/** Few trigrams are found one after the other as fast as in any other way. */
const MANY_TRIGRAMS = 4;
const SAMPLES = 200;
/** So few entries are read and compared that this takes less time than the order of the trigrams. */
const FEW = 0.05;
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
  const counted = trigrams.map((trigram) => ({
    trigram,
    count: samples.filter((sample) => sample.includes(trigram)).length,
  }));
  const rarest = counted
    .toSorted((a, b) => a.count - b.count)
    .slice(0, RAREST)
    .map(({ trigram }) => trigram);
  const found = samples.filter((sample) => rarest.every((trigram) => sample.includes(trigram)));
  if (found.length <= samples.length * FEW) return { by: 'rarest', trigrams: rarest };
  const listed = counted.reduce((sum, { count }) => sum + count, 0);
  return listed <= samples.length * LISTED_FOR_ONE_READ ? { by: 'phrase' } : { by: 'read' };
}

function trigramsOf(text: string): string[] {
  const characters = Array.from(text);
  return [...new Set(characters.slice(2).map((last, index) => `${characters[index]}${characters[index + 1]}${last}`))];
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
    .select('folded')
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return rows.map(({ folded }) => folded);
}
