/**
 * Chooses the fastest way to find a text by trigrams. A phrase query of FTS5 costs as much as the posting lists of its
 * trigrams are long, and common trigrams of JSON are in every entry. A sample of entries shows which trigrams are rare.
 */
import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** Up to this number of trigrams a phrase query is always fast. */
const MANY_TRIGRAMS = 4;
/** FTS5 compares the positions of all trigrams of a phrase within each entry, so long phrases are slow. */
const MAX_PHRASE_LENGTH = 8;
/** Number of entries that a plan reads. */
export const SAMPLES = 200;
/** Characters per sample, and trigrams per text, that the estimate uses. */
const SAMPLE_CHARACTERS = 4_000;
const COUNTED_TRIGRAMS = 64;
/** Share of entries below which reading and comparing them is faster than a phrase query. */
const FEW = 0.05;
/** Share of entries up to which the rarest trigrams are faster than reading all entries. */
const HALF = 0.5;
const RAREST = 3;
/** Posting list items that take as long as searching one text. */
const LISTED_FOR_ONE_READ = 9;

/**
 * `phrase`: all trigrams in order; `rarest`: the rarest trigrams, then compare the texts; `read`: the text of every
 * entry.
 */
export type QueryPlan =
  | { readonly by: 'phrase' }
  | { readonly by: 'read' }
  | { readonly by: 'rarest'; readonly trigrams: readonly string[] };

export async function chooseQueryPlan(db: Db, text: string): Promise<QueryPlan> {
  const trigrams = trigramsOf(text);
  if (trigrams.length <= MANY_TRIGRAMS) return { by: 'phrase' };
  const { samples } = await readSamples(db);
  const counted = someOf([...new Set(trigrams)]).map((trigram) => ({
    trigram,
    count: samples.filter((sample) => sample.includes(trigram)).length,
  }));
  const rarest = counted
    .toSorted((a, b) => a.count - b.count)
    .slice(0, RAREST)
    .map(({ trigram }) => trigram);
  const found = samples.filter((sample) => rarest.every((trigram) => sample.includes(trigram)));
  const byRarest: QueryPlan = { by: 'rarest', trigrams: rarest };
  if (found.length <= samples.length * FEW) return byRarest;
  const listed = counted.reduce((sum, { count }) => sum + count, 0);
  const isShort = trigrams.length <= MAX_PHRASE_LENGTH;
  if (isShort && listed <= samples.length * LISTED_FOR_ONE_READ) return { by: 'phrase' };
  return found.length <= samples.length * HALF ? byRarest : { by: 'read' };
}

export interface Estimate {
  /** The part of all entries that contain the text, from 0 to 1. */
  readonly share: number;
  readonly matches: number;
}

/** Estimates how many entries contain the text. Where no sample does, half of one counts. */
export async function estimateMatches(db: Db, text: string): Promise<Estimate> {
  const { samples, ids } = await readSamples(db);
  const found = samples.filter((sample) => sample.includes(text)).length;
  const share = Math.max(found, 0.5) / Math.max(samples.length, 1);
  return { share, matches: ids * share };
}

function trigramsOf(text: string): string[] {
  const characters = Array.from(text);
  return characters.slice(2).map((last, index) => `${characters[index]}${characters[index + 1]}${last}`);
}

/** An even sample of the list. */
function someOf(trigrams: readonly string[]): readonly string[] {
  const apart = Math.ceil(trigrams.length / COUNTED_TRIGRAMS);
  return trigrams.filter((_, index) => index % apart === 0);
}

interface Sampled {
  readonly samples: readonly string[];
  /** The number of ids from the first to the last. */
  readonly ids: number;
}

/** An even sample of all entries. */
async function readSamples(db: Db): Promise<Sampled> {
  const { rows: ends } = await sql<{ first: number | null; last: number | null }>`select
    (select min(id) from texts) as first, (select max(id) from texts) as last`.execute(db);
  const { first, last } = ends[0] ?? {};
  if (first == null || last == null) return { samples: [], ids: 0 };
  const ids = Array.from({ length: SAMPLES }, (_, index) => first + Math.floor(((last - first) * index) / SAMPLES));
  const rows = await db
    .selectFrom('texts')
    .select(sql<string>`substr(folded, 1, ${SAMPLE_CHARACTERS})`.as('folded'))
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return { samples: rows.map(({ folded }) => folded), ids: last - first + 1 };
}
