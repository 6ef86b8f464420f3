/** One SQLite connection; every call to it blocks. */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { containing } from '../search/contains.ts';
import type {
  SqliteAnswer,
  SqliteCall,
  SqliteFailure,
  SqliteResult,
  SqliteRow,
  SqliteSettings,
  SqliteStep,
  SqliteValue,
} from './sqlite-messages.ts';

const nothing: SqliteResult = { rows: [], changes: 0 };
const MAX_STATEMENTS = 64;

const settingsOfWriter =
  'pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 67108864; pragma secure_delete = on';

class ConflictError extends Error {}

interface OpenDatabase {
  readonly database: DatabaseSync;
  prepare(sql: string): StatementSync;
}

/** Returns how to execute calls. `isCancelled` is asked at each text that the search with this id looks at. */
export function createSqliteConnection(
  settings: SqliteSettings,
  isCancelled: (id: number) => boolean,
): (call: SqliteCall) => SqliteAnswer {
  let currentCall = 0;
  let open: OpenDatabase | undefined;
  const requireWanted = (): void => {
    if (isCancelled(currentCall)) throw new Error('The statement was cancelled');
  };
  const current = (): OpenDatabase => {
    if (open !== undefined) return open;
    throw new Error('The connection is not open');
  };
  const execute = (call: SqliteCall): SqliteResult => {
    switch (call.action) {
      case 'open':
        open = openDatabase(settings, requireWanted);
        return nothing;
      case 'begin':
        current().database.exec('begin immediate');
        return nothing;
      case 'script':
        return runScript(current(), call.steps);
      case 'run':
        return run(current().prepare(call.sql), call.parameters);
      case 'close':
        open?.database.close();
        open = undefined;
        return nothing;
    }
  };
  return (call) => {
    currentCall = call.id;
    try {
      return { id: call.id, result: execute(call) };
    } catch (error) {
      return { id: call.id, failure: describeFailure(error) };
    }
  };
}

/**
 * secure_delete: what is deleted or replaced is overwritten in the file, so that a forgotten person does not remain.
 *
 * synchronous=FULL: a commit is on disk before it is acknowledged and survives a power failure. NORMAL could lose the
 * last commits: then Events would exist without their entries.
 */
function openDatabase({ path, readOnly, lockWaitMs }: SqliteSettings, requireWanted: () => void): OpenDatabase {
  if (!readOnly) createForOwner(path);
  const database = new DatabaseSync(path, { readOnly, timeout: lockWaitMs });
  try {
    if (readOnly) {
      database.exec('pragma cache_size = -8192');
      defineFunctions(database, requireWanted);
    } else database.exec(settingsOfWriter);
  } catch (error) {
    database.close();
    throw error;
  }
  return { database, prepare: createStatements(database) };
}

/**
 * Node.js cannot interrupt a statement of SQLite. Instead, a statement that searches texts calls one of these functions
 * for each text, and a throw ends the statement.
 */
function defineFunctions(database: DatabaseSync, requireWanted: () => void): void {
  // Not deterministic, so that SQLite calls them for every row.
  database.function('goes_on', () => {
    requireWanted();
    return 1;
  });
  let last = '';
  let isIn = containing(last);
  database.function('contains', (text, wanted) => {
    requireWanted();
    if (wanted !== last) {
      last = String(wanted);
      isIn = containing(last);
    }
    return isIn(String(text)) ? 1 : 0;
  });
}

/** Keeps recently used statements, because preparing one takes longer than running it. */
function createStatements(database: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.delete(sql);
    statements.set(sql, statement);
    for (const oldest of statements.keys()) {
      if (statements.size <= MAX_STATEMENTS) break;
      statements.delete(oldest);
    }
    return statement;
  };
}

function runScript({ database, prepare }: OpenDatabase, steps: readonly SqliteStep[]): SqliteResult {
  database.exec('begin immediate');
  try {
    const rows = steps.map(({ sql, rows: values, conflict }) => {
      const changes = values.reduce((sum, row) => sum + write(prepare(sql), row), 0);
      if (conflict !== undefined && changes === 0) throw new ConflictError(conflict);
      return { changes };
    });
    database.exec('commit');
    return { rows, changes: 0 };
  } catch (error) {
    // On a full disk SQLite has rolled back already.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function run(statement: StatementSync, parameters: readonly SqliteValue[]): SqliteResult {
  if (statement.columns().length > 0) return { rows: statement.all(...parameters) as SqliteRow[], changes: 0 };
  return { rows: [], changes: write(statement, parameters) };
}

/** SQLite would create a file that others can read. The WAL files inherit the permissions of this file. */
function createForOwner(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch {
    // The file exists, or SQLite reports why it cannot be created.
  }
}

function write(statement: StatementSync, parameters: readonly SqliteValue[]): number {
  // lastInsertRowid of the FTS5 table can exceed the safe integers.
  statement.setReadBigInts(true);
  return Number(statement.run(...parameters).changes);
}

function describeFailure(error: unknown): SqliteFailure {
  const errcode = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
  const message = error instanceof Error ? error.message : String(error);
  return { message, errcode, isConflict: error instanceof ConflictError };
}
