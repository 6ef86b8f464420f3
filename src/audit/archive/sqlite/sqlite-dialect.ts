/** Kysely dialect for a SQLite connection on another thread. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqliteValue } from './sqlite-messages.ts';
import type { SqliteThread } from './sqlite-thread.ts';

/** SQLite supports it; transactions start with the write lock, so two starting processes take turns. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** The signal cancels statements that search texts. */
export function createSqliteDialect(thread: SqliteThread, signal?: AbortSignal): Dialect {
  return {
    createDriver: () => createDriver(thread, signal),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

function createDriver(thread: SqliteThread, signal: AbortSignal | undefined): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const work = { action: 'run', sql, parameters: parameters as readonly SqliteValue[] } as const;
      const result = await thread.execute(work, signal);
      return { rows: result.rows as unknown as R[], numAffectedRows: BigInt(result.changes) };
    },
    streamQuery() {
      throw new Error('The archive reads in pages');
    },
  };
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: async () => {
      await thread.execute({ action: 'begin' });
    },
    commitTransaction: async () => {
      await connection.executeQuery(CompiledQuery.raw('commit'));
    },
    // On a full disk SQLite has rolled back already and returns an error.
    rollbackTransaction: async () => {
      await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined);
    },
    releaseConnection: async () => {},
    destroy: () => thread.close(),
  };
}
