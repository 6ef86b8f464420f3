/** Migrations of the archive's tables; a released migration never changes. */
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { CHAIN_START } from '../../domain/history/chain.ts';
import { type Origin, wayOf } from '../../domain/history/way.ts';
import { toAuthorRow } from './authors.ts';
import { makeChainTables, makeHeadTables } from './chain/tables.ts';
import { fromRow } from './entry-rows.ts';
import { maskedTextOf } from './fold.ts';
import { makeForgettings } from './forget/tables.ts';
import { makeSinkTables } from './sinks/tables.ts';
import type { DatabaseKind, Db } from './tables.ts';
import { makeEdgesTable, makeSeenEdges, makeUsageTables } from './usage-tables.ts';
import { makeVersionTables } from './versions/tables.ts';
import { makeWitnessTables } from './witnesses/tables.ts';

/** Runs pending migrations; safe for concurrent processes. */
export async function migrate(db: Db, kind: DatabaseKind): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrationsOf(kind) } });
  const steps = await migrator.getMigrations();
  // Takes the write lock only if a migration is pending.
  if (steps.every(({ executedAt }) => executedAt !== undefined)) return;
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

function migrationsOf(kind: DatabaseKind): Record<string, Migration> {
  return {
    '0001-history': { up: (db) => (kind === 'sqlite' ? makeSqliteTables(db) : makePostgresTables(db)) },
    '0002-eras': { up: (db) => run(db, ['alter table cursors add column era bigint not null default 0']) },
    '0003-times': {
      up: (db) =>
        run(db, [
          'alter table entries add column earliest_at bigint',
          'alter table states add column changed_at bigint not null default 0',
        ]),
    },
    '0004-masked-texts': { up: (db) => makeMaskedTexts(db) },
    '0005-authors': { up: (db) => makeAuthors(db, kind) },
    '0006-usage': { up: (db) => run(db, makeUsageTables) },
    '0007-channels': {
      up: (db) => {
        const columns = ['channel', 'field_manager', 'reason'];
        return run(
          db,
          columns.map((column) => `alter table entries add column ${column} text`),
        );
      },
    },
    '0008-ways': { up: (db) => makeWays(db, kind) },
    '0009-edges': { up: (db) => run(db, makeEdgesTable) },
    '0010-versions': { up: (db) => run(db, makeVersionTables(idOf[kind])) },
    '0011-chain': { up: (db) => run(db, makeChainTables(CHAIN_START.link)) },
    '0012-forgettings': { up: (db) => run(db, makeForgettings) },
    '0013-witnesses': { up: (db) => run(db, makeWitnessTables) },
    '0014-heads': { up: (db) => run(db, makeHeadTables) },
    '0015-sinks': { up: (db) => run(db, makeSinkTables) },
    '0016-seen-edges': { up: (db) => run(db, makeSeenEdges) },
  };
}

const idOf = {
  sqlite: 'id integer primary key autoincrement',
  postgres: 'id bigint generated always as identity primary key',
};

/** Covering indexes: the filtered column first, then the sort order, then all other filter columns. */
const facetIndexes = ['feature', 'project', 'created_by', 'type', 'environment', 'owner'] as const;
const covered = ['owner', 'type', 'project', 'environment', 'feature', 'created_by'];

const entryColumns = `
  key text not null unique, created_at bigint not null, type text not null, project text, environment text,
  feature_name text, data text, pre_data text, tags text not null, subject text not null, created_by text not null,
  created_by_user_id bigint not null, ip text, resource text not null, namespace text not null, object text not null,
  uid text not null, from_version text not null, to_version text not null, coalesced smallint not null,
  restored smallint not null, publication smallint not null`;
const facetColumns = `
  created_at bigint not null, owner integer not null, type integer not null, project integer not null,
  environment integer not null, feature integer not null, created_by bigint not null`;

async function makeSqliteTables(db: Kysely<unknown>): Promise<void> {
  await run(db, [
    `create table entries (id integer primary key autoincrement, ${entryColumns})`,
    `create table facets (id integer primary key, ${facetColumns})`,
    'create table names (id integer primary key, name text not null unique)',
    'create table texts (id integer primary key, folded text not null)',
    // The text is folded already, so the tokenizer must not fold again. A phrase of trigrams matches without the texts.
    "create virtual table grams using fts5(folded, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')",
    ...sharedTables,
    ...['', ...facetIndexes].map((first) => facetIndex('sqlite', first, covered)),
  ]);
}

async function makePostgresTables(db: Kysely<unknown>): Promise<void> {
  await run(db, [
    `create table entries (id bigint generated always as identity primary key, ${entryColumns})`,
    `create table facets (id bigint primary key, ${facetColumns})`,
    'create table names (id integer generated always as identity primary key, name text collate "C" not null unique)',
    // Uncompressed and stored in the row: index matches are compared with the text, and decompression would dominate.
    'create table texts (id bigint primary key, folded text not null) with (toast_tuple_target = 8160)',
    'alter table texts alter column folded set storage external',
    ...sharedTables,
    ...['', ...facetIndexes].map((first) => facetIndex('postgres', first, covered)),
  ]);
}

const sharedTables = [
  'create table cursors (scope text primary key, version text not null, revision bigint not null, moved_at bigint not null)',
  'create table states (uid text primary key, key text not null, scope text not null, version text not null, mark text not null, object text not null)',
  'create index states_by_scope on states (scope)',
  'create index entries_unpublished on entries (id, created_at) where publication = 0',
  'create index entries_settled on entries (created_at, id) where publication > 0',
];

const ENTRIES_PER_STEP = 200;

/** Also fills the table for existing entries. */
async function makeMaskedTexts(db: Db): Promise<void> {
  await sql`create table masked_texts (id bigint primary key, folded text not null)`.execute(db);
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('entries')
      .selectAll()
      .where('id', '>', after)
      .where('id', 'in', (texts) => texts.selectFrom('texts').select('id').where('folded', 'like', '%@%'))
      .orderBy('id')
      .limit(ENTRIES_PER_STEP)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    const masked = rows.flatMap((row) => {
      const folded = maskedTextOf(fromRow(row));
      return folded === undefined ? [] : [{ id: row.id, folded }];
    });
    if (masked.length > 0) await db.insertInto('masked_texts').values(masked).execute();
    after = last.id;
  }
}

/** Bounds the parameters of a statement. */
const AUTHORS_PER_STEP = 500;

/** Also fills the tables for existing entries. */
async function makeAuthors(db: Db, kind: DatabaseKind): Promise<void> {
  const id = sql.raw(kind === 'sqlite' ? 'integer primary key' : 'integer generated always as identity primary key');
  const columns = sql`key text not null unique, folded text not null, masked text not null`;
  await sql`create table authors (id ${id}, ${columns})`.execute(db);
  await sql`create table authored (id bigint primary key, author integer not null)`.execute(db);
  await sql`create index authored_by_author on authored (author, id)`.execute(db);
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('entries')
      .select(['id', 'created_by as createdBy'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(AUTHORS_PER_STEP)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    const authors = new Map(rows.map(({ createdBy }) => [createdBy, toAuthorRow(createdBy)]));
    await db
      .insertInto('authors')
      .values([...authors.values()])
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute();
    const keys = [...authors.values()].map(({ key }) => key);
    const known = await db.selectFrom('authors').select(['id', 'key']).where('key', 'in', keys).execute();
    const ids = new Map(known.map((author) => [author.key, author.id]));
    const authored = rows.flatMap(({ id: entry, createdBy }) => {
      const author = ids.get(authors.get(createdBy)?.key ?? '');
      return author === undefined ? [] : [{ id: entry, author }];
    });
    await db.insertInto('authored').values(authored).execute();
    after = last.id;
  }
}

/** Earlier versions write no way, so the column has a default. Also fills the column for existing entries. */
async function makeWays(db: Db, kind: DatabaseKind): Promise<void> {
  await sql`alter table facets add column way integer not null default 0`.execute(db);
  const columns = ['channel', 'field_manager as fieldManager'] as const;
  const rows = await db.selectFrom('entries').select(columns).distinct().where('channel', 'is not', null).execute();
  for (const row of rows) {
    const { channel, fieldManager } = row as Origin;
    const name = wayOf({ channel, fieldManager }) ?? '';
    await sql`insert into names (name) values (${name}) on conflict (name) do nothing`.execute(db);
    await sql`update facets set way = (select id from names where name = ${name}) where id in (
      select e.id from entries as e where e.channel = ${channel} and coalesce(e.field_manager, '') = ${fieldManager ?? ''}
    )`.execute(db);
  }
  const all = [...covered, 'way'];
  for (const first of ['', ...facetIndexes, 'way']) {
    await sql`drop index if exists ${sql.ref(`facets_by_${first || 'time'}`)}`.execute(db);
    await sql.raw(facetIndex(kind, first, all)).execute(db);
  }
}

/** An empty `first` is the index by time. */
function facetIndex(kind: DatabaseKind, first: string, filtered: readonly string[]): string {
  const rest = filtered.filter((column) => column !== first);
  const order = [first, 'created_at', 'id'].filter(Boolean);
  const columns = kind === 'sqlite' ? `(${[...order, ...rest]})` : `(${order}) include (${rest})`;
  return `create index facets_by_${first || 'time'} on facets ${columns}`;
}

async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
