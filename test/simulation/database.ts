/** The database of the history: SQLite in memory, which all replicas share, behind a way that takes time. */

import { Kysely } from 'kysely';
import { SEARCH_LIMITS } from '../../src/audit/archive/lanes.ts';
import type { Connected } from '../../src/audit/archive/reconnect.ts';
import { keepConnected } from '../../src/audit/archive/reconnect.ts';
import { sqliteArchive } from '../../src/audit/archive/sqlite/sqlite.ts';
import { createSqliteConnection } from '../../src/audit/archive/sqlite/sqlite-connection.ts';
import { createSqliteDialect } from '../../src/audit/archive/sqlite/sqlite-dialect.ts';
import type { SqliteResult, SqliteWork } from '../../src/audit/archive/sqlite/sqlite-messages.ts';
import { errorOf, SqliteError, type SqliteThread } from '../../src/audit/archive/sqlite/sqlite-thread.ts';
import type { EntriesTable, StatesTable, Tables } from '../../src/audit/archive/tables.ts';
import { readVersionsAt } from '../../src/audit/archive/versions/read-versions.ts';
import type { FoundVersions } from '../../src/audit/archive/versions/versions.ts';
import type { Faults } from './faults.ts';
import type { Actor, Schedule } from './schedule.ts';

type KnownState = Pick<StatesTable, 'uid' | 'object'>;

export interface SharedDatabase {
  /** How a process reaches it. */
  connect(actor: Actor): Connected;
  /** The entries of the history. */
  entries(): readonly EntriesTable[];
  /** The objects that the history knows. */
  states(): readonly KnownState[];
  /** What was in force at a time, in ms since 1970. */
  versionsAt(at: number, resources: readonly string[]): Promise<FoundVersions>;
  /** How many scopes are recorded. */
  cursors(): number;
  close(): void;
}

const SQLITE_BUSY = 5;
const SQLITE_IO_ERROR = 10;

export function createSharedDatabase(schedule: Schedule, faults: Faults): SharedDatabase {
  // An empty path is a database without a file.
  const call = createSqliteConnection({ path: '', readOnly: false, lockWaitMs: 0 }, () => false);
  let lastId = 0;
  /** The process with an open transaction. */
  let holder: Actor | undefined;

  const execute = (work: SqliteWork): SqliteResult => {
    lastId += 1;
    const answer = call({ ...work, id: lastId });
    if ('failure' in answer) throw errorOf(answer.failure);
    return answer.result;
  };
  execute({ action: 'open' });

  const executeFor = (actor: Actor, work: SqliteWork): SqliteResult => {
    if (holder?.isKilled) rollback();
    if (holder !== undefined && holder !== actor) throw failure(SQLITE_BUSY);
    const result = execute(work);
    if (work.action === 'begin') holder = actor;
    if (work.action === 'run' && /^(commit|rollback)$/.test(work.sql)) holder = undefined;
    return result;
  };
  const rollback = (): void => {
    execute({ action: 'run', sql: 'rollback', parameters: [] });
    holder = undefined;
  };

  /** The rows of a statement, whose columns are the members of `T`. */
  const rowsOf = <T>(sql: string): readonly T[] => {
    if (holder?.isKilled) rollback();
    return execute({ action: 'run', sql, parameters: [] }).rows as readonly unknown[] as readonly T[];
  };

  /** SQLite needs no lock of others to end a transaction. */
  const awayFor = (actor: Actor, work: SqliteWork): SqliteError => {
    if (holder === actor && work.action === 'run' && work.sql === 'rollback') rollback();
    return failure(SQLITE_BUSY);
  };
  const outcomeOf = (actor: Actor, work: SqliteWork): { result: SqliteResult } | { error: unknown } => {
    if (faults.isDatabaseAway() || actor.isKilled) return { error: awayFor(actor, work) };
    try {
      const result = executeFor(actor, work);
      return faults.losesDatabaseCall() ? { error: failure(SQLITE_IO_ERROR) } : { result };
    } catch (error) {
      return { error };
    }
  };
  const later = (actor: Actor, run: () => void) => schedule.after(faults.delayMs() / 10, actor, run);

  const threadOf = (actor: Actor): SqliteThread => ({
    async execute(work) {
      if (work.action === 'open') return { rows: [], changes: 0 };
      await new Promise<void>((resolve) => later(faults.world, resolve));
      const outcome = outcomeOf(actor, work);
      await new Promise<void>((resolve) => later(actor, resolve));
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    },
    async close() {
      if (holder === actor) rollback();
    },
  });

  return {
    connect(actor) {
      const parts = { lockWaitMs: 0, limits: SEARCH_LIMITS, start: () => threadOf(actor) };
      const size = async () => ({ bytes: 0, availableBytes: undefined });
      return { ...keepConnected(sqliteArchive('', parts)), size };
    },
    entries: () => rowsOf<EntriesTable>('select * from entries order by id'),
    states: () => rowsOf<KnownState>('select uid, object from states'),
    versionsAt(at, resources) {
      if (holder?.isKilled) rollback();
      const dialect = createSqliteDialect({ execute: async (work) => execute(work), close: async () => undefined });
      return readVersionsAt(new Kysely<Tables>({ dialect }), 'sqlite', { at, resources, flags: { of: 'all' } });
    },
    cursors: () =>
      rowsOf("select name from sqlite_master where name = 'cursors'").length === 0
        ? 0
        : rowsOf("select scope from cursors where version <> ''").length,
    close: () => void execute({ action: 'close' }),
  };
}

function failure(errcode: number): SqliteError {
  return new SqliteError({ message: 'the database is away', errcode });
}
