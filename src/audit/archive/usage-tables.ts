/** The tables of usage, which share the database of the archive. */

/** Evaluations by hour or by day; `usageGrains` numbers the grains. */
interface UsageCountsTable {
  uid: string;
  grain: number;
  /** The start of the hour or the day (UTC), in ms since 1970, as all times here. */
  at: number;
  environment: string;
  app: string;
  /** Empty: evaluations of the flag, with any variant; otherwise evaluations that chose this variant, all in `yes`. */
  variant: string;
  yes: number;
  no: number;
}

/** When one application asked for one flag; first times are `NEVER_FIRST` and last times 0 for never. */
interface UsageSeenTable {
  uid: string;
  environment: string;
  app: string;
  first_at: number;
  last_at: number;
  first_yes_at: number;
  last_yes_at: number;
  first_no_at: number;
  last_no_at: number;
  /** The edge through which the last report came, as in `usage_edges`; empty: none. */
  edge: string;
  instance: string;
}

interface UsageApplicationsTable {
  app: string;
  /** A JSON list of names. */
  strategies: string;
  first_at: number;
  last_at: number;
}

/** The SDK versions of an application; empty: unknown. */
interface UsageSdksTable {
  app: string;
  environment: string;
  sdk: string;
  last_at: number;
}

interface UsageInstancesTable {
  app: string;
  environment: string;
  instance: string;
  sdk: string;
  last_at: number;
}

/** The edges through which the reports of an application came. */
interface UsageEdgesTable {
  app: string;
  environment: string;
  /** What the edge calls its program, and its instance. */
  edge: string;
  instance: string;
  last_at: number;
}

/** Names that no live flag had. */
interface UsageUnknownTable {
  name: string;
  environment: string;
  app: string;
  /** The uid of the archived flag of that name; empty: there is none. */
  archived_uid: string;
  last_at: number;
}

/** The last batch of counts of each process, so that a repeated batch is not added twice. */
interface UsageWritersTable {
  writer: string;
  batch: number;
  at: number;
}

export interface UsageTables {
  usage_counts: UsageCountsTable;
  usage_seen: UsageSeenTable;
  usage_applications: UsageApplicationsTable;
  usage_sdks: UsageSdksTable;
  usage_instances: UsageInstancesTable;
  usage_edges: UsageEdgesTable;
  usage_unknown: UsageUnknownTable;
  usage_writers: UsageWritersTable;
}

export const usageGrains = { hour: 0, day: 1 } as const;
export const NEVER_FIRST = Number.MAX_SAFE_INTEGER;

export const makeUsageTables = [
  `create table usage_counts (
    uid text not null, grain smallint not null, at bigint not null, environment text not null, app text not null,
    variant text not null, yes bigint not null, no bigint not null,
    primary key (uid, grain, at, environment, app, variant))`,
  'create index usage_counts_by_time on usage_counts (grain, at)',
  `create table usage_seen (
    uid text not null, environment text not null, app text not null, first_at bigint not null, last_at bigint not null,
    first_yes_at bigint not null, last_yes_at bigint not null, first_no_at bigint not null, last_no_at bigint not null,
    primary key (uid, environment, app))`,
  'create index usage_seen_by_app on usage_seen (app)',
  'create index usage_seen_by_time on usage_seen (last_at)',
  `create table usage_applications (
    app text primary key, strategies text not null, first_at bigint not null, last_at bigint not null)`,
  `create table usage_sdks (
    app text not null, environment text not null, sdk text not null, last_at bigint not null,
    primary key (app, environment, sdk))`,
  `create table usage_instances (
    app text not null, environment text not null, instance text not null, sdk text not null, last_at bigint not null,
    primary key (app, environment, instance))`,
  'create index usage_instances_by_time on usage_instances (last_at)',
  `create table usage_unknown (
    name text not null, environment text not null, app text not null, archived_uid text not null, last_at bigint not null,
    primary key (name, environment, app))`,
  'create index usage_unknown_by_time on usage_unknown (last_at)',
  'create table usage_writers (writer text primary key, batch bigint not null, at bigint not null)',
];

export const makeEdgesTable = [
  `create table usage_edges (
    app text not null, environment text not null, edge text not null, instance text not null, last_at bigint not null,
    primary key (app, environment, edge, instance))`,
  'create index usage_edges_by_time on usage_edges (last_at)',
];

/** Earlier versions write no edge, so the columns have defaults. */
export const makeSeenEdges = ['edge', 'instance'].map(
  (column) => `alter table usage_seen add column ${column} text not null default ''`,
);
