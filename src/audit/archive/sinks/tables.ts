/** The table of sinks: how far each has received the history. */

interface SinksTable {
  /** The uid of the NotificationSink. */
  uid: string;
  /** Grows with each write; a writer must name the one that it read. */
  revision: number;
  /** The id of the last entry that the sink needs no more. */
  position: number;
  /** Times in ms since 1970; 0: never. */
  last_at: number;
  /** The id of the last entry that the receiver has taken; 0: none. */
  last_id: number;
  set_aside: number;
  last_set_aside: string | null;
  /** The generation of the sink to which the receiver has answered 410; 0: none. */
  gone: number;
  /** The last request for a replay that was followed, and when. */
  replay: string | null;
  replayed_at: number;
}

export interface SinkTables {
  sinks: SinksTable;
}

export const makeSinkTables: readonly string[] = [
  `create table sinks (uid text primary key, revision bigint not null, position bigint not null, last_at bigint not null,
    last_id bigint not null, set_aside bigint not null, last_set_aside text, gone bigint not null, replay text,
    replayed_at bigint not null)`,
];
