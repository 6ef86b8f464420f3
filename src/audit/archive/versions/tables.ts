/** The tables of versions: what decided about flags, at any time since recording began. */
import type { Generated } from 'kysely';

/** What a version says, once for all versions that say the same. */
interface ContentsTable {
  id: Generated<number>;
  /** The SHA-256 of the canonical JSON. */
  digest: string;
  /** See `packContent`. */
  body: string;
}

/** The objects that have versions. Their names and projects never change. */
interface TrackedTable {
  id: Generated<number>;
  uid: string;
  resource: string;
  namespace: string;
  name: string;
  wire_name: string;
  /** The project of a flag; null for other kinds. */
  project: string | null;
  /** RFC 3339 in UTC, as the API server writes it. */
  created: string;
}

/** The versions of an object, in the order of their ids. */
interface VersionsTable {
  id: Generated<number>;
  /** The id of the object. */
  tracked: number;
  /** Null: the object was deleted. */
  content: number | null;
  generation: number;
  /** The version was not in force before this time, in ms since 1970; never decreases from version to version. */
  earliest_at: number;
  /** The version, or a later one, was in force from this time on. */
  from_at: number;
  /** 1: further versions between the previous one and this one may be missing. */
  several: number;
  /** 1: a flag that depends on others. */
  has_parents: number;
  /** 1: a link of the chain commits the row. */
  linked: Generated<number>;
}

/** Since when the versions of a scope are complete. */
interface VersionScopesTable {
  scope: string;
  since: number;
  /** The revision of the cursor that the versions belong to: an operator without versions moves the cursor alone. */
  revision: number;
  /** The `moved_at` of that cursor. */
  moved_at: number;
}

export interface VersionTables {
  contents: ContentsTable;
  tracked: TrackedTable;
  versions: VersionsTable;
  version_scopes: VersionScopesTable;
}

/** `id` is the definition of a column of ids that only grow. */
export function makeVersionTables(id: string): readonly string[] {
  return [
    `create table contents (${id}, digest text not null unique, body text not null)`,
    `create table tracked (${id}, uid text not null unique, resource text not null, namespace text not null,
      name text not null, wire_name text not null, project text, created text not null)`,
    'create index tracked_by_name on tracked (resource, wire_name)',
    'create index tracked_by_project on tracked (resource, project)',
    `create table versions (${id}, tracked bigint not null, content bigint, generation bigint not null,
      earliest_at bigint not null, from_at bigint not null, several integer not null, has_parents integer not null)`,
    'create index versions_by_object on versions (tracked, earliest_at, id)',
    'create index versions_by_content on versions (content)',
    'create index versions_by_time on versions (from_at)',
    'create index versions_with_parents on versions (tracked) where has_parents = 1',
    `create table version_scopes (scope text primary key, since bigint not null, revision bigint not null,
      moved_at bigint not null)`,
  ];
}
