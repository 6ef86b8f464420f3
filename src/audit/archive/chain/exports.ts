/** Reads the chain for segments, and keeps how far it is exported. */
import { CHAIN_START, type ChainPlace } from '../../../domain/history/chain.ts';
import type { LinkLine } from '../../../domain/history/verify-chain.ts';
import type { Connected } from '../reconnect.ts';
import { defineStatement, stepOf } from '../statement.ts';
import type { Db } from '../tables.ts';
import { readChainPlace } from './append-links.ts';
import type { ExportCursor, ExportedLines, ExportLimits, ExportState, ExportStore } from './export-store.ts';
import { readHeads } from './heads.ts';
import { headLines, streamLinks } from './read-chain.ts';
import { lastRetention } from './retention-link.ts';

const HEADS_PER_SEGMENT = 1_000;

const NO_CURSOR: ExportCursor = { ...CHAIN_START, planned: 0, heads: 0, segment: null, movedAt: 0 };

const columns = {
  ...({ target: 'text', n: 'bigint', link: 'text', planned: 'bigint', heads: 'bigint', segment: 'text' } as const),
  ...({ moved_at: 'bigint', known: 'bigint', known_planned: 'bigint' } as const),
};

const insertCursor = defineStatement(
  columns,
  (source) => `insert into exports (target, n, link, planned, heads, segment, moved_at)
    select r.target, r.n, r.link, r.planned, r.heads, r.segment, r.moved_at from ${source} where true
    on conflict (target) do nothing`,
);

const moveCursor = defineStatement(
  columns,
  (source) => `update exports set n = r.n, link = r.link, planned = r.planned, heads = r.heads, segment = r.segment,
    moved_at = r.moved_at from ${source}
    where exports.target = r.target and exports.n = r.known and exports.planned = r.known_planned`,
);

export function createExportStore(connected: Connected): ExportStore {
  return {
    state: (target) => connected.read((db) => readState(db, target)),
    lines: (cursor, limits, signal) => readLines(connected, { cursor, limits, signal }),
    async move(target, from, { movedAt, ...to }) {
      const row = { target, ...to, moved_at: movedAt, known: from.n, known_planned: from.planned };
      const isFirst = from.planned === 0 && from.movedAt === 0;
      const conflict = 'The cursor of the export has moved since it was read: another replica exports';
      await connected.run(() => [stepOf(isFirst ? insertCursor : moveCursor, [row], conflict)]);
    },
  };
}

async function readState(db: Db, target: string): Promise<ExportState> {
  const row = await db.selectFrom('exports').selectAll().where('target', '=', target).executeTakeFirst();
  const { n: last } = await readChainPlace(db);
  if (row === undefined) return { cursor: NO_CURSOR, last };
  const { target: _, moved_at: movedAt, ...cursor } = row;
  return { cursor: { ...cursor, movedAt }, last };
}

interface SpanToExport {
  readonly cursor: ExportCursor;
  readonly limits: ExportLimits;
  readonly signal: AbortSignal;
}

/** Reads in pages, so that searches of others go on. */
async function readLines(connected: Connected, { cursor, limits, signal }: SpanToExport): Promise<ExportedLines> {
  const { after, end } = await connected.search(signal, (db) => readSpan(db, cursor));
  const filling = createFilling(after, spanOf({ cursor, limits, after, end }));
  for await (const line of streamLinks(connected, { after: after.n, upTo: filling.most }, signal)) {
    filling.add(line);
    if (filling.isFull()) break;
  }
  const { last, lines, gone } = filling;
  const page = { after: cursor.heads, limit: HEADS_PER_SEGMENT };
  const heads = (await connected.search(signal, (db) => readHeads(db, page))).filter(({ n }) => n <= last.n);
  return {
    ...{ after, last, lost: after.n - cursor.n + gone, heads: heads.at(-1)?.n ?? cursor.heads },
    lines: [...headLines(heads).map((line) => JSON.stringify(line)), ...lines],
  };
}

interface Span extends Pick<ExportLimits, 'characters'> {
  /** The number of the last link. */
  readonly most: number;
}

interface SpanParts extends Pick<SpanToExport, 'cursor' | 'limits'> {
  readonly after: ChainPlace;
  readonly end: number;
}

/** What is planned is read to its end, however long it has become. */
function spanOf({ cursor, limits: { links, characters }, after, end }: SpanParts): Span {
  if (cursor.planned > cursor.n) return { most: cursor.planned, characters: Number.POSITIVE_INFINITY };
  return { most: Math.min(end, after.n + links), characters };
}

function createFilling(after: ChainPlace, { most, characters }: Span) {
  const filling = {
    most,
    last: after,
    lines: [] as string[],
    /** Rows that are not there any more. */
    gone: 0,
    length: 0,
    isFull: () => filling.last.n >= most || filling.length >= characters,
    add(line: LinkLine): void {
      const text = JSON.stringify(line);
      filling.lines.push(text);
      filling.length += text.length;
      filling.last = { n: line.n, link: line.link };
      if (isRowGone(line)) filling.gone += 1;
    },
  };
  return filling;
}

function isRowGone({ ref, row }: LinkLine): boolean {
  return ref > 0 && row === null;
}

/** Where the next segment begins: retention may have dropped links that were not exported. */
async function readSpan(db: Db, { n, link }: ExportCursor) {
  const { n: end } = await readChainPlace(db);
  const { from = 1, previous = CHAIN_START.link } = (await lastRetention(db)) ?? {};
  return { after: from - 1 > n ? { n: from - 1, link: previous } : { n, link }, end };
}
