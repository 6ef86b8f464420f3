/** The tables of what the audit log of the API server says. */

/** Writes that the log has reported, until their entries are there. */
interface LoggedWritesTable {
  /** See `LoggedWrite`. */
  id: string;
  resource: string;
  namespace: string;
  uid: string;
  /** The resourceVersion that the write made; null: it was a deletion. */
  revision: number | null;
  generation: number | null;
  received_at: number;
  completed_at: number;
  arrived_at: number;
  username: string;
  impersonated_by: string | null;
  ip: string | null;
  user_agent: string | null;
  field_manager: string | null;
  /** The object after the write as JSON. */
  object: string | null;
  /** The length of `object`. */
  size: number;
}

/** What the log says about an entry. The row of the entry itself never changes. */
interface WitnessesTable {
  /** The id of the entry. */
  id: number;
  logged: string;
  completed_at: number;
  confirms: number;
  created_by: string;
  created_by_user_id: number;
  ip: string | null;
  user_agent: string | null;
  field_manager: string | null;
  impersonated_by: string | null;
}

/** How far each file of the log is read. */
interface LogPositionsTable {
  /** The SHA-256 of its first line, which no other file has. */
  file: string;
  position: number;
  moved_at: number;
}

export interface WitnessTables {
  logged_writes: LoggedWritesTable;
  witnesses: WitnessesTable;
  log_positions: LogPositionsTable;
}

export const makeWitnessTables: readonly string[] = [
  `create table logged_writes (id text primary key, resource text not null, namespace text not null, uid text not null,
    revision bigint, generation bigint, received_at bigint not null, completed_at bigint not null,
    arrived_at bigint not null, username text not null, impersonated_by text, ip text, user_agent text, field_manager text, object text, size bigint not null)`,
  'create index logged_writes_by_object on logged_writes (uid)',
  `create table witnesses (id bigint primary key, logged text not null, completed_at bigint not null,
    confirms integer not null, created_by text not null, created_by_user_id bigint not null, ip text, user_agent text,
    field_manager text, impersonated_by text)`,
  'create index witnesses_by_logged on witnesses (logged)',
  'create table log_positions (file text primary key, position bigint not null, moved_at bigint not null)',
  'create index entries_by_object on entries (uid)',
];
