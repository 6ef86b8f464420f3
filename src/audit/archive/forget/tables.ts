/** The table of forgettings that are not complete yet. */

interface ForgettingsTable {
  pseudonym: string;
  /** What the person is called, as JSON. The row is deleted at the end. */
  names: string;
  entries: number;
  versions: number;
  events: number;
}

export interface ForgettingTables {
  forgettings: ForgettingsTable;
}

export const makeForgettings = [
  `create table forgettings (pseudonym text primary key, names text not null, entries bigint not null default 0,
    versions bigint not null default 0, events bigint not null default 0)`,
];
