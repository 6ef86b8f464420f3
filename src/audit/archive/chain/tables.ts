/** The tables of the hash chain over entries and versions. */
import type { LinkKind, RowKind } from '../../../domain/history/chain.ts';

/** The single row says where the chain ends. Every transaction that adds links moves it, and only from where it is. */
interface ChainTable {
  id: number;
  n: number;
  link: string;
}

/** See `ChainLink`. */
interface LinksTable {
  n: number;
  kind: LinkKind;
  ref: number;
  at: number;
  salt: string | null;
  digest: string;
  link: string;
  content: string | null;
}

/** The rows that a link of the kind `amendment` commits. */
interface AmendmentsTable {
  n: number;
  kind: RowKind;
  ref: number;
  salt: string;
  digest: string;
}

/** See `SignedHead`. */
interface HeadsTable {
  n: number;
  link: string;
  at: number;
  key: string;
  signature: string;
  /** 1: its Event is published. */
  published: number;
}

/** See `ExportCursor`. */
interface ExportsTable {
  target: string;
  n: number;
  link: string;
  planned: number;
  heads: number;
  segment: string | null;
  moved_at: number;
}

export interface ChainTables {
  chain: ChainTable;
  links: LinksTable;
  amendments: AmendmentsTable;
  heads: HeadsTable;
  exports: ExportsTable;
}

export const makeHeadTables: readonly string[] = [
  `create table heads (n bigint primary key, link text not null, at bigint not null, key text not null,
    signature text not null, published smallint not null)`,
  'create index heads_unpublished on heads (n) where published = 0',
  `create table exports (target text primary key, n bigint not null, link text not null, planned bigint not null,
    heads bigint not null, segment text, moved_at bigint not null)`,
];

/** The column `linked` has a default, because earlier operators write rows without it; they are linked later. */
export function makeChainTables(start: string): readonly string[] {
  return [
    'create table chain (id integer primary key, n bigint not null, link text not null)',
    `insert into chain (id, n, link) values (1, 0, '${start}')`,
    `create table links (n bigint primary key, kind text not null, ref bigint not null, at bigint not null, salt text,
      digest text not null, link text not null, content text)`,
    // One for each kind: SQLite uses a partial index only if the query has its condition word for word.
    "create unique index links_by_entry on links (ref) where kind = 'entry'",
    "create unique index links_by_version on links (ref) where kind = 'version'",
    `create table amendments (n bigint not null, kind text not null, ref bigint not null, salt text not null,
      digest text not null, primary key (kind, ref, n))`,
    'create index amendments_by_link on amendments (n)',
    ...['entries', 'versions'].flatMap((table) => [
      `alter table ${table} add column linked smallint not null default 0`,
      `create index ${table}_unlinked on ${table} (id) where linked = 0`,
    ]),
  ];
}
