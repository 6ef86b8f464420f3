/** Reads the chain with the rows that it commits, in pages. */
import { sql } from 'kysely';
import { type AmendedRow, CHAIN_START, type ChainLink, type RowKind } from '../../../domain/history/chain.ts';
import type { SignedHead } from '../../../domain/history/signed-head.ts';
import type { ChainLine, LinkLine } from '../../../domain/history/verify-chain.ts';
import type { JsonObject } from '../../../model/json.ts';
import { nextTurn } from '../../../runtime/turns.ts';
import type { Connected } from '../reconnect.ts';
import type { Db } from '../tables.ts';
import { unpackContent } from '../versions/content.ts';
import { readChainPlace } from './append-links.ts';
import { readHeads, readHeadsBeyond } from './heads.ts';
import { lastRetention } from './retention-link.ts';
import { entryContents, versionContents } from './row-contents.ts';

/** Bounds the memory for rows. */
const LINKS_PER_PAGE = 200;
/** Of the packed contents that are in memory at once, unless a single one is longer. */
const MAX_LENGTH = 1024 * 1024;
/** Rows that are looked at for one page of strays. */
const STRETCH = 20_000;

const HEADS_PER_PAGE = 1_000;

/** Yields the heads and the chain up to where it ends at the start, then rows that claim to be linked. */
export async function* streamChain(connected: Connected, signal: AbortSignal): AsyncIterable<ChainLine> {
  const start = await connected.search(signal, readStart);
  yield { line: 'start', ...start.first, before: start.before };
  yield* heads(connected, start, signal);
  yield* streamLinks(connected, { after: start.first.n, upTo: start.last.n }, signal);
  for (const kind of ['entry', 'version'] as const) yield* strays(connected, kind, signal);
  const moved = await connected.search(signal, (db) => hasMoved(db, start.last.n));
  yield { line: 'end', ...start.last, waiting: start.waiting, moved };
}

/** Yields the links after one number and up to another, with their rows and contents. */
export async function* streamLinks(
  connected: Connected,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  signal: AbortSignal,
): AsyncIterable<LinkLine> {
  for (let n = after; n < upTo; ) {
    const from = n;
    const links = await connected.search(signal, (db) => readLinks(db, from, upTo));
    yield* withContents(connected, links, signal);
    n = links.at(-1)?.n ?? upTo;
  }
}

type Start = Awaited<ReturnType<typeof readStart>>;

async function* heads(connected: Connected, { last, beyond }: Start, signal: AbortSignal): AsyncIterable<ChainLine> {
  for (let after = 0; ; ) {
    const from = after;
    const page = await connected.search(signal, (db) => readHeads(db, { after: from, limit: HEADS_PER_PAGE }));
    // Heads that were signed meanwhile are of links that are not read.
    yield* headLines(page.filter(({ n }) => n <= last.n));
    after = page.at(-1)?.n ?? last.n;
    if (after >= last.n) break;
  }
  yield* headLines(beyond.filter(({ n }) => n > last.n));
}

export function headLines(heads: readonly SignedHead[]): readonly ChainLine[] {
  return heads.map((head) => ({ line: 'head', ...head }));
}

/** Whether a statement or an amendment was added since: rows that were read before and after it do not fit. */
async function hasMoved(db: Db, after: number): Promise<boolean> {
  const added = await db
    .selectFrom('links')
    .select('n')
    .where('n', '>', after)
    .where('kind', 'in', ['retention', 'amendment'])
    .limit(1)
    .executeTakeFirst();
  return added !== undefined;
}

async function readStart(db: Db) {
  const last = await readChainPlace(db);
  const beyond = await readHeadsBeyond(db, HEADS_PER_PAGE);
  const { from, previous, before } = (await lastRetention(db)) ?? { from: 1, previous: CHAIN_START.link, before: 0 };
  const { rows } = await sql<{ waiting: number }>`
    select (select count(*) from entries where linked = 0) + (select count(*) from versions where linked = 0) as waiting
  `.execute(db);
  return { first: { n: from - 1, link: previous }, before, last, beyond, waiting: Number(rows[0]?.waiting ?? 0) };
}

/** A link whose content is not read yet, and the length of the content as it is stored. */
type LineWithoutContent = LinkLine & { readonly length: number };

/** Contents are as large as tenants make objects: a few are read at once, and unpacked one by one, in turns. */
async function* withContents(
  connected: Connected,
  lines: readonly LineWithoutContent[],
  signal: AbortSignal,
): AsyncIterable<LinkLine> {
  for (const some of piecesOf(lines)) {
    const bodies = await connected.search(signal, (db) => bodiesOf(db, digestsIn(some)));
    for (const { length: _, ...line } of some) {
      await nextTurn();
      const [digest] = digestsIn([line]);
      yield { ...line, says: digest === undefined ? null : (readable(bodies.get(digest)) ?? null) };
    }
  }
}

function piecesOf(lines: readonly LineWithoutContent[]): readonly (readonly LineWithoutContent[])[] {
  const pieces: LineWithoutContent[][] = [[]];
  let length = 0;
  for (const line of lines) {
    if (length > 0 && length + line.length > MAX_LENGTH) {
      pieces.push([]);
      length = 0;
    }
    length += line.length;
    pieces.at(-1)?.push(line);
  }
  return pieces;
}

async function readLinks(db: Db, after: number, last: number): Promise<readonly LineWithoutContent[]> {
  const links = (await db
    .selectFrom('links')
    .selectAll()
    .where('n', '>', after)
    .where('n', '<=', last)
    .orderBy('n')
    .limit(LINKS_PER_PAGE)
    .execute()) as ChainLink[];
  const refs = (kind: RowKind) => links.filter((link) => link.kind === kind).map(({ ref }) => ref);
  const rows = await rowsOf(db, refs('entry'), refs('version'));
  const lengths = await lengthsOf(db, digestsOf(rows.values()));
  const amended = await amendedAmong(db, refs);
  const lists = await listsOf(
    db,
    links.filter(({ kind }) => kind === 'amendment').map(({ n }) => n),
  );
  return links.map((link) => {
    const key = `${link.kind} ${link.ref}`;
    const row = rows.get(key) ?? null;
    return {
      ...{ line: 'link', ...link, row, amended: amended.get(key) ?? null },
      says: null,
      length: lengths.get(String(row?.['says'])) ?? 0,
      rows: link.kind === 'amendment' ? (lists.get(link.n) ?? []) : null,
    };
  });
}

async function rowsOf(db: Db, entries: readonly number[], versions: readonly number[]) {
  const found = [
    ...(await entryContents(db, sql`e.id in (${listed(entries)})`, LINKS_PER_PAGE)),
    ...(await versionContents(db, sql`v.id in (${listed(versions)})`, LINKS_PER_PAGE)),
  ];
  return new Map(found.map(({ kind, ref, content }) => [`${kind} ${ref}`, content]));
}

function digestsIn(lines: readonly Pick<LinkLine, 'row'>[]): readonly string[] {
  return digestsOf(lines.flatMap(({ row }) => (row === null ? [] : [row])));
}

function digestsOf(rows: Iterable<JsonObject>): readonly string[] {
  return [...new Set([...rows].flatMap(({ says }) => (typeof says === 'string' ? [says] : [])))];
}

async function lengthsOf(db: Db, digests: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (digests.length === 0) return new Map();
  const length = sql<number>`length(body)`.as('length');
  const found = await db.selectFrom('contents').select(['digest', length]).where('digest', 'in', digests).execute();
  return new Map(found.map((one) => [one.digest, Number(one.length)]));
}

async function bodiesOf(db: Db, digests: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (digests.length === 0) return new Map();
  const found = await db.selectFrom('contents').select(['digest', 'body']).where('digest', 'in', digests).execute();
  return new Map(found.map(({ digest, body }) => [digest, body]));
}

/** A body that cannot be read is left out. */
function readable(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : unpackContent(body);
  } catch {
    return undefined;
  }
}

async function amendedAmong(db: Db, refs: (kind: RowKind) => readonly number[]) {
  const newest = new Map<string, NonNullable<LinkLine['amended']>>();
  for (const kind of ['entry', 'version'] as const) {
    const { rows } = await sql<{ ref: number; n: number; salt: string; digest: string }>`
      select ref, n, salt, digest from amendments where kind = ${kind} and ref in (${listed(refs(kind))}) order by n
    `.execute(db);
    for (const { ref, ...amended } of rows) newest.set(`${kind} ${ref}`, amended);
  }
  return newest;
}

async function listsOf(db: Db, links: readonly number[]): Promise<ReadonlyMap<number, readonly AmendedRow[]>> {
  const { rows } = await sql<AmendedRow & { n: number }>`
    select n, kind, ref, salt, digest from amendments where n in (${listed(links)}) order by n, kind, ref`.execute(db);
  const lists = Map.groupBy(rows, ({ n }) => n);
  return new Map([...lists].map(([n, list]) => [n, list.map(({ n: _, ...row }) => row)]));
}

async function* strays(connected: Connected, kind: RowKind, signal: AbortSignal): AsyncIterable<ChainLine> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const { found, next } = await connected.search(signal, (db) => readStrays(db, kind, from));
    for (const { ref, content } of found) yield { line: 'stray', kind, ref, row: content };
    after = next;
  }
}

/** `next` is undefined at the end of the table. */
async function readStrays(db: Db, kind: RowKind, after: number) {
  const [table, alias] = kind === 'entry' ? (['entries', 'e'] as const) : (['versions', 'v'] as const);
  const { rows } = await sql<{ id: number | null }>`select max(r.id) as id from (
    select id from ${sql.table(table)} where id > ${after} order by id limit ${STRETCH}) as r`.execute(db);
  const end = rows[0]?.id ?? undefined;
  if (end === undefined) return { found: [], next: undefined };
  const id = sql.ref(`${alias}.id`);
  const none = sql`not exists (select 1 from links as l where l.kind = ${sql.lit(kind)} and l.ref = ${id})`;
  const which = sql`${id} > ${after} and ${id} <= ${end} and linked = 1 and ${none}`;
  const found = await (kind === 'entry' ? entryContents : versionContents)(db, which, LINKS_PER_PAGE);
  return { found, next: found.length < LINKS_PER_PAGE ? end : found.at(-1)?.ref };
}

/** Zero is the id of no row. */
function listed(ids: readonly number[]) {
  return sql.raw([0, ...ids.map((id) => Math.trunc(id))].join(', '));
}
