/** Writes one batch of counters or one of applications in a transaction. */
import { type Expression, sql } from 'kysely';
import { inChunks } from '../audit/archive/sql.ts';
import type { DatabaseKind, Db } from '../audit/archive/tables.ts';
import { compareText } from '../domain/identity/names.ts';
import type { Presence } from './applications.ts';
import type { Counter } from './counters.ts';
import { countsRows, seenRows } from './rows.ts';

/** Counters with the number of the batch, which increases for each process. */
export interface CounterBatch {
  readonly writer: string;
  readonly number: number;
  /** Ms since 1970. */
  readonly at: number;
  readonly counters: readonly Counter[];
}

const ROWS_PER_STATEMENT = 500;

/**
 * Functions for the smaller and the greater of two values: SQLite uses the names of aggregates, PostgreSQL has separate
 * names.
 */
const functions = {
  sqlite: { smaller: sql.raw('min'), greater: sql.raw('max') },
  postgres: { smaller: sql.raw('least'), greater: sql.raw('greatest') },
} as const;

type Column = Expression<number>;

/** The edge of the later report, of the written one and the stored one. */
function ofLatest(column: 'edge' | 'instance') {
  const [stored, written] = [sql.ref(`usage_seen.${column}`), sql.ref(`excluded.${column}`)];
  return sql<string>`case when excluded.last_at >= usage_seen.last_at then ${written} else ${stored} end`;
}

function operatorsOf(kind: DatabaseKind) {
  const { smaller, greater } = functions[kind];
  return {
    smaller: (a: Column, b: Column) => sql<number>`${smaller}(${a}, ${b})`,
    greater: (a: Column, b: Column) => sql<number>`${greater}(${a}, ${b})`,
    /** A sum beyond the exact integers of JavaScript could not be read. */
    sum: (a: Column, b: Column) => sql<number>`${smaller}(${a} + ${b}, ${sql.lit(Number.MAX_SAFE_INTEGER)})`,
  };
}

/** Adds the counts exactly once: a batch that was written although its answer was lost is skipped. */
export async function writeCounters(db: Db, kind: DatabaseKind, batch: CounterBatch): Promise<void> {
  if (!(await isFirst(db, batch))) return;
  for (const some of inChunks(countsRows(batch.counters), ROWS_PER_STATEMENT)) {
    const { sum } = operatorsOf(kind);
    await db
      .insertInto('usage_counts')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['uid', 'grain', 'at', 'environment', 'app', 'variant']).doUpdateSet(({ ref }) => ({
          yes: sum(ref('usage_counts.yes'), ref('excluded.yes')),
          no: sum(ref('usage_counts.no'), ref('excluded.no')),
        })),
      )
      .execute();
  }
  for (const some of inChunks(seenRows(batch.counters), ROWS_PER_STATEMENT)) {
    const { smaller, greater } = operatorsOf(kind);
    await db
      .insertInto('usage_seen')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['uid', 'environment', 'app']).doUpdateSet(({ ref }) => ({
          first_at: smaller(ref('usage_seen.first_at'), ref('excluded.first_at')),
          last_at: greater(ref('usage_seen.last_at'), ref('excluded.last_at')),
          first_yes_at: smaller(ref('usage_seen.first_yes_at'), ref('excluded.first_yes_at')),
          last_yes_at: greater(ref('usage_seen.last_yes_at'), ref('excluded.last_yes_at')),
          first_no_at: smaller(ref('usage_seen.first_no_at'), ref('excluded.first_no_at')),
          last_no_at: greater(ref('usage_seen.last_no_at'), ref('excluded.last_no_at')),
          edge: ofLatest('edge'),
          instance: ofLatest('instance'),
        })),
      )
      .execute();
  }
}

async function isFirst(db: Db, { writer, number, at }: CounterBatch): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('usage_writers')
    .values({ writer, batch: number, at })
    .onConflict((conflict) =>
      conflict.column('writer').doUpdateSet({ batch: number, at }).where('usage_writers.batch', '<', number),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** The latest reports win; repeating them changes nothing. */
export async function writePresence(db: Db, { sdks, names }: Presence): Promise<void> {
  await writeApplications(db, sdks);
  await writeLatest(
    db,
    'usage_sdks',
    sdks.map(({ appName: app, environment, sdkVersion: sdk, at }) => ({ app, environment, sdk, last_at: at })),
  );
  await writeLatest(
    db,
    'usage_instances',
    sdks.flatMap(({ appName: app, environment, instanceId: instance, sdkVersion: sdk, at }) =>
      instance === undefined ? [] : [{ app, environment, instance, sdk, last_at: at }],
    ),
  );
  await writeLatest(
    db,
    'usage_edges',
    sdks.flatMap(({ appName: app, environment, via = [], at }) =>
      via.map(({ appName: edge, instanceId: instance }) => ({ app, environment, edge, instance, last_at: at })),
    ),
  );
  await writeLatest(
    db,
    'usage_unknown',
    names.map(({ name, environment, appName: app, archivedUid, at }) => ({
      ...{ name, environment, app, archived_uid: archivedUid, last_at: at },
    })),
  );
}

async function writeApplications(db: Db, sdks: Presence['sdks']): Promise<void> {
  const byName = Map.groupBy(sdks, ({ appName }) => appName);
  const rows = [...byName].map(([app, reports]) => {
    const times = reports.map(({ at }) => at);
    const strategies = reports.findLast((report) => report.strategies !== undefined)?.strategies ?? [];
    return { app, strategies: JSON.stringify(strategies), first_at: Math.min(...times), last_at: Math.max(...times) };
  });
  for (const some of inChunks(
    rows.sort((a, b) => compareText(a.app, b.app)),
    ROWS_PER_STATEMENT,
  )) {
    await db
      .insertInto('usage_applications')
      .values(some)
      .onConflict((conflict) =>
        conflict.column('app').doUpdateSet(({ ref }) => ({
          last_at: ref('excluded.last_at'),
          // A report of metrics names no strategies.
          strategies: sql<string>`case when excluded.strategies = '[]' then usage_applications.strategies else excluded.strategies end`,
        })),
      )
      .execute();
  }
}

/** The primary keys of tables whose other columns are those of the latest report. */
const keys = {
  usage_sdks: ['app', 'environment', 'sdk'],
  usage_instances: ['app', 'environment', 'instance'],
  usage_edges: ['app', 'environment', 'edge', 'instance'],
  usage_unknown: ['name', 'environment', 'app'],
} as const;

/** One statement can write a row only once; every process writes in the same order. */
async function writeLatest(
  db: Db,
  table: keyof typeof keys,
  rows: readonly Readonly<Record<string, string | number>>[],
): Promise<void> {
  const key: readonly string[] = keys[table];
  const byKey = new Map(rows.map((row) => [key.map((column) => row[column]).join('\n'), row]));
  const latest = [...byKey].sort(([a], [b]) => compareText(a, b)).map(([, row]) => row);
  const namesOf = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));
  for (const some of inChunks(latest, ROWS_PER_STATEMENT)) {
    const columns = Object.keys(some[0] ?? {});
    const values = some.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
    const changes = columns
      .filter((column) => !key.includes(column))
      .map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`);
    await sql`insert into ${sql.table(table)} (${namesOf(columns)}) values ${sql.join(values)}
      on conflict (${namesOf(key)}) do update set ${sql.join(changes)}`.execute(db);
  }
}
