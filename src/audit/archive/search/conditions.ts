/** Translates a filter to SQL conditions on the integer ids of the archive. */
import { type RawBuilder, sql } from 'kysely';
import type { EntryFilter } from '../../../domain/history/entry.ts';
import { eventTypes } from '../../../domain/history/event-types.ts';
import { type SearchedWay, waysFoundBy } from '../../../domain/history/way.ts';
import { authorsNamed } from '../authors.ts';
import { foldQuery } from '../fold.ts';
import { numbersOf, ownerOfProject, ownersSeen } from '../names.ts';
import type { DatabaseKind, Db } from '../tables.ts';
import { containsText } from './text-search.ts';

/** The columns of `facets` with lists of values, in the order of selectivity. */
export const facets = ['feature', 'created_by', 'project', 'type', 'owner', 'environment', 'way'] as const;
export type Facet = (typeof facets)[number];

export interface Conditions {
  /** Allowed values by column; absent: any value. */
  readonly lists: ReadonlyMap<Facet, readonly number[]>;
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** The folded text to search; undefined: any text. */
  readonly text: string | undefined;
  /** Ids of entries; undefined: any. */
  readonly ids?: readonly number[] | undefined;
  /** Ids of authors; undefined: any. */
  readonly authors?: readonly number[] | undefined;
  /** Condition on `facets as f`: the match is visible to the reader. Absent: the reader may see everything. */
  readonly shown?: RawBuilder<boolean> | undefined;
  /** Condition on `facets as f`: the match belongs to its project. Absent: the project is not asked for. */
  readonly belonging?: RawBuilder<boolean> | undefined;
}

type Names = readonly string[] | undefined;

/** Undefined: no entry can match. */
export async function conditionsOf(db: Db, kind: DatabaseKind, filter: EntryFilter): Promise<Conditions | undefined> {
  const { ids, features, projects, types, environments, createdBy, from, until, visible } = filter;
  const text = filter.text ? foldQuery(filter.text) : undefined;
  if (text === undefined && filter.text) return undefined;

  const named: readonly (readonly [Facet, Names])[] = [
    ['feature', features],
    ['project', projects],
    ['type', types],
    ['environment', environments],
  ];
  const valid = named.flatMap(([, names]) => names ?? []).filter((name) => !name.includes('\0') && name.isWellFormed());
  const numbers = await numbersOf(db, valid);
  const lists = new Map<Facet, readonly number[]>();
  for (const [facet, names] of named) {
    if (names !== undefined) lists.set(facet, numbered(names, numbers));
  }
  if (createdBy !== undefined) lists.set('created_by', [...new Set(createdBy)].filter(Number.isSafeInteger));
  if (filter.ways !== undefined) lists.set('way', await waysNumbered(db, filter.ways));
  if (visible !== undefined) lists.set('owner', await ownersSeen(db, visible));
  const authors = await authorsOf(db, kind, filter);
  if ([...lists.values(), authors].some((values) => values?.length === 0)) return undefined;
  const belonging = await belongingTo(db, filter);
  return { lists, from, until, text, ids, authors, shown: shownTo(kind, filter, text), belonging };
}

async function waysNumbered(db: Db, searched: readonly SearchedWay[]): Promise<number[]> {
  const ways = [...new Set(searched.flatMap(waysFoundBy))];
  const numbers = await numbersOf(
    db,
    ways.filter((way) => way !== null),
  );
  return ways.flatMap((way) => (way === null ? 0 : (numbers.get(way) ?? [])));
}

/** What entries about segments have, if they are about no flag. */
const SEGMENT_TYPES = Object.keys(eventTypes).filter((type) => /^(?:segment|change-request)-/.test(type));

/** Restricts matches of the projects whose namespaces are known to entries from there, and to segments of `home`. */
async function belongingTo(
  db: Db,
  { projects = [], projectsIn: places = [], home = '' }: EntryFilter,
): Promise<RawBuilder<boolean> | undefined> {
  if (places.length === 0) return undefined;
  const owners = places.map(ownerOfProject);
  const ofHome = places.map(({ id }) => ownerOfProject({ namespace: home, id }));
  const elsewhere = projects.filter((id) => !places.some((place) => place.id === id));
  const numbers = await numbersOf(db, [...owners, ...ofHome, ...elsewhere, ...SEGMENT_TYPES]);
  const among = (column: Facet, names: readonly string[]) => {
    const values = numbered(names, numbers);
    return values.length === 0 ? [] : [sql<boolean>`${sql.ref(`f.${column}`)} in (${integers(values)})`];
  };
  const ofSegments = [...among('owner', ofHome), ...among('type', SEGMENT_TYPES), sql<boolean>`f.feature = 0`];
  const either = [...among('owner', owners), ...among('project', elsewhere)];
  if (ofSegments.length === 3) either.push(sql<boolean>`(${allOf(ofSegments)})`);
  return either.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`(${sql.join(either, sql` or `)})`;
}

async function authorsOf(db: Db, kind: DatabaseKind, { author, masked = false }: EntryFilter) {
  return author === undefined ? undefined : authorsNamed(db, kind, { text: author, masked });
}

/** Restricts matches to those that also exist in the text with masked e-mail addresses. */
function shownTo(
  kind: DatabaseKind,
  { masked }: EntryFilter,
  text: string | undefined,
): RawBuilder<boolean> | undefined {
  if (!masked || text === undefined) return undefined;
  return sql<boolean>`not exists (select 1 from masked_texts as t where t.id = f.id and not (${containsText(kind, text)}))`;
}

function numbered(names: readonly string[], numbers: ReadonlyMap<string, number>): number[] {
  return [...new Set(names)].flatMap((name) => numbers.get(name) ?? []);
}

/** The conditions on `facets as f`, without those on the text and on the column `except`. */
export function facetConditions(
  { lists, from, until, ids, authors, shown, belonging }: Conditions,
  except?: Facet,
): RawBuilder<boolean>[] {
  const listed = [...lists].filter(([facet]) => facet !== except);
  return [
    ...listed.map(([facet, values]) => sql<boolean>`${sql.ref(`f.${facet}`)} in (${integers(values)})`),
    ...(from === undefined ? [] : [sql<boolean>`f.created_at >= ${from}`]),
    ...(until === undefined ? [] : [sql<boolean>`f.created_at < ${until}`]),
    ...(ids === undefined ? [] : [sql<boolean>`f.id in (${integers(ids)})`]),
    ...(authors === undefined ? [] : [writtenBy(authors)]),
    ...(shown === undefined ? [] : [shown]),
    ...(belonging === undefined ? [] : [belonging]),
  ];
}

function writtenBy(authors: readonly number[]): RawBuilder<boolean> {
  return sql<boolean>`f.id in (select a.id from authored as a where a.author in (${integers(authors)}))`;
}

export function allOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** Inlines integers, because there may be more than the parameters that a statement allows. */
function integers(values: readonly number[]): RawBuilder<unknown> {
  return sql.raw(values.map((value) => Math.trunc(value)).join(', '));
}
