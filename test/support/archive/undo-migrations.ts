/** Statements that take an archive back to before a migration, in both databases. */

export const dropped = (...tables: readonly string[]) => tables.map((table) => `drop table ${table}`);
export const since = (migration: string) => `delete from kysely_migration where name >= '${migration}'`;

/** Before flags named the edges through which they were seen. */
const beforeSeenEdges = [
  ...['edge', 'instance'].map((column) => `alter table usage_seen drop column ${column}`),
  since('0016-seen-edges'),
];
/** Before notification sinks. */
const beforeSinks = [...beforeSeenEdges, ...dropped('sinks'), since('0015-sinks')];
/** Before heads of the chain were signed. */
const beforeHeads = [...beforeSinks, ...dropped('heads', 'exports'), since('0014-heads')];
/** Before the audit log of the API server. */
const beforeWitnesses = [
  ...beforeHeads,
  ...[...dropped('logged_writes', 'witnesses', 'log_positions'), 'drop index entries_by_object'],
  since('0013-witnesses'),
];
/** Before persons were forgotten. */
const beforeForgettings = [...beforeWitnesses, ...dropped('forgettings'), since('0012-forgettings')];
/** Before the hash chain. */
export const beforeChain = [
  ...beforeForgettings,
  ...dropped('chain', 'links', 'amendments'),
  ...['entries', 'versions'].flatMap((table) => [
    `drop index ${table}_unlinked`,
    `alter table ${table} drop column linked`,
  ]),
  since('0011-chain'),
];
