/** The tables of the archive, the same in both databases. */
import type { Generated, Kysely } from 'kysely';
import type { ChainTables } from './chain/tables.ts';
import type { ForgettingTables } from './forget/tables.ts';
import type { SinkTables } from './sinks/tables.ts';
import type { UsageTables } from './usage-tables.ts';
import type { VersionTables } from './versions/tables.ts';
import type { WitnessTables } from './witnesses/tables.ts';

/** Audit entries. Booleans are 0 or 1, lists and objects JSON text, times ms since 1970. */
export interface EntriesTable {
  id: Generated<number>;
  key: string;
  created_at: number;
  type: string;
  project: string | null;
  environment: string | null;
  feature_name: string | null;
  data: string | null;
  pre_data: string | null;
  tags: string;
  subject: string;
  created_by: string;
  created_by_user_id: number;
  ip: string | null;
  resource: string;
  namespace: string;
  object: string;
  uid: string;
  from_version: string;
  to_version: string;
  coalesced: number;
  restored: number;
  /** Null: the change happened at `created_at`. */
  earliest_at: number | null;
  channel: string | null;
  field_manager: string | null;
  reason: string | null;
  /** State of the Event; see `publications`. */
  publication: number;
  /** 1: a link of the chain commits the row. */
  linked: Generated<number>;
}

/**
 * The filter columns of entries, each value as its id in `names`: narrow enough for covering indexes, so that counting
 * never reads the entries.
 */
interface FacetsTable {
  id: number;
  created_at: number;
  owner: number;
  type: number;
  /** 0: none. */
  project: number;
  environment: number;
  feature: number;
  created_by: number;
  /** See `wayOf`. 0: not known, or recorded by an earlier version. */
  way: number;
}

interface NamesTable {
  id: Generated<number>;
  name: string;
}

/** The folded search text. */
interface TextsTable {
  id: number;
  folded: string;
}

/** The search text with masked e-mail addresses, for entries that contain one: for readers who may not read users. */
type MaskedTextsTable = TextsTable;

/** Each author once; the key is the SHA-256 of the name. */
interface AuthorsTable {
  id: Generated<number>;
  key: string;
  folded: string;
  masked: string;
}

/** The author of each entry. */
interface AuthoredTable {
  id: number;
  author: number;
}

interface CursorsTable {
  scope: string;
  version: string;
  revision: number;
  era: number;
  moved_at: number;
}

export interface StatesTable {
  uid: string;
  /** namespace/name. */
  key: string;
  scope: string;
  version: string;
  mark: string;
  changed_at: number;
  object: string;
}

export interface Tables extends UsageTables, VersionTables, ChainTables, ForgettingTables, WitnessTables, SinkTables {
  entries: EntriesTable;
  facets: FacetsTable;
  names: NamesTable;
  texts: TextsTable;
  masked_texts: MaskedTextsTable;
  authors: AuthorsTable;
  authored: AuthoredTable;
  cursors: CursorsTable;
  states: StatesTable;
}

export type Db = Kysely<Tables>;
export type DatabaseKind = 'sqlite' | 'postgres';
