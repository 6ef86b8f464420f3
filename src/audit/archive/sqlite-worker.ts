/** One SQLite connection on its own thread, because every call to it blocks. */
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { containing } from './contains.ts';
import {
  EVERY_CALL,
  type SqliteAnswer,
  type SqliteCall,
  type SqliteFailure,
  type SqliteResult,
  type SqliteRow,
  type SqliteStart,
  type SqliteStep,
  type SqliteValue,
} from './sqlite-messages.ts';

const { path, readOnly, lockWaitMs, cancelled } = workerData as SqliteStart;
const cancelledCall = new Int32Array(cancelled);
let currentCall = 0;
const nothing: SqliteResult = { rows: [], changes: 0 };
const MAX_STATEMENTS = 64;

class ReplacedError extends Error {}
class ConflictError extends Error {}

let database: DatabaseSync | undefined;
/** Identity of the open file and of its WAL files, because the path may later point to another file. */
let identity: string | undefined;
let walIdentities: readonly (string | undefined)[] = [];
const statements = new Map<string, StatementSync>();

function identify(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}/${found.ino}`;
}

const walPaths = [`${path}-wal`, `${path}-shm`];

/**
 * synchronous=FULL: a commit is on disk before it is acknowledged and survives a power failure. NORMAL could lose the
 * last commits: then Events would exist without their entries.
 */
function open(): SqliteResult {
  if (!readOnly) createForOwner();
  const opened = new DatabaseSync(path, { readOnly, timeout: lockWaitMs });
  try {
    if (readOnly) {
      opened.exec('pragma cache_size = -8192');
      defineFunctions(opened);
    } else opened.exec('pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 67108864');
    identity = identify(path);
  } catch (error) {
    opened.close();
    throw error;
  }
  database = opened;
  return nothing;
}

/** SQLite would create a file that others can read. The WAL files inherit the permissions of this file. */
function createForOwner(): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch {
    // The file exists, or SQLite reports why it cannot be created.
  }
}

/**
 * Node.js cannot interrupt a statement of SQLite. Instead, a statement that searches texts calls one of these functions
 * for each text, and a throw ends the statement.
 */
function defineFunctions(opened: DatabaseSync): void {
  // Not deterministic, so that SQLite calls them for every row.
  opened.function('goes_on', () => {
    requireWanted();
    return 1;
  });
  let last = '';
  let isIn = containing(last);
  opened.function('contains', (text, wanted) => {
    requireWanted();
    if (wanted !== last) {
      last = String(wanted);
      isIn = containing(last);
    }
    return isIn(String(text)) ? 1 : 0;
  });
}

function requireWanted(): void {
  const id = Atomics.load(cancelledCall, 0);
  if (id === currentCall || id === EVERY_CALL) throw new Error('The statement was cancelled');
}

function begin(): SqliteResult {
  if (identity === undefined || identify(path) !== identity) {
    leaveFile();
    throw new ReplacedError(`${path} was replaced by another file`);
  }
  walIdentities = walPaths.map(identify);
  connection().exec('begin immediate');
  return nothing;
}

/**
 * Removes the WAL files of the replaced database: SQLite leaves them behind, and the next database at this path would
 * apply them as its own.
 */
function leaveFile(): void {
  statements.clear();
  database?.close();
  database = undefined;
  walPaths.forEach((file, index) => {
    if (identify(file) === walIdentities[index]) rmSync(file, { force: true });
  });
}

/** A call that was sent before another one has found the new file can be made again, on the next connection. */
function connection(): DatabaseSync {
  if (database !== undefined) return database;
  throw identity === undefined ? new Error('The connection is not open') : new ReplacedError(`${path} was replaced`);
}

function runScript({ steps }: Extract<SqliteCall, { action: 'script' }>): SqliteResult {
  begin();
  try {
    const rows = steps.map((step) => ({ changes: runStep(step) }));
    connection().exec('commit');
    return { rows, changes: 0 };
  } catch (error) {
    rollback();
    throw error;
  }
}

function runStep({ sql, rows, conflict }: SqliteStep): number {
  const changes = rows.reduce((sum, row) => sum + write(prepare(sql), row), 0);
  if (conflict !== undefined && changes === 0) throw new ConflictError(conflict);
  return changes;
}

function write(statement: StatementSync, parameters: readonly SqliteValue[]): number {
  // lastInsertRowid of the FTS5 table can exceed the safe integers.
  statement.setReadBigInts(true);
  return Number(statement.run(...parameters).changes);
}

/** On a full disk SQLite has rolled back already. */
function rollback(): void {
  if (database?.isTransaction) database.exec('rollback');
}

function run({ sql, parameters }: Extract<SqliteCall, { action: 'run' }>): SqliteResult {
  const statement = prepare(sql);
  if (statement.columns().length > 0) return { rows: statement.all(...parameters) as SqliteRow[], changes: 0 };
  return { rows: [], changes: write(statement, parameters) };
}

/** Keeps recently used statements, because preparing one takes longer than running it. */
function prepare(sql: string): StatementSync {
  const statement = statements.get(sql) ?? connection().prepare(sql);
  statements.delete(sql);
  statements.set(sql, statement);
  for (const oldest of statements.keys()) {
    if (statements.size <= MAX_STATEMENTS) break;
    statements.delete(oldest);
  }
  return statement;
}

function close(): SqliteResult {
  statements.clear();
  database?.close();
  database = undefined;
  parentPort?.close();
  return nothing;
}

function execute(call: SqliteCall): SqliteResult {
  switch (call.action) {
    case 'open':
      return open();
    case 'begin':
      return begin();
    case 'script':
      return runScript(call);
    case 'run':
      return run(call);
    case 'close':
      return close();
  }
}

function describeFailure(error: unknown): SqliteFailure {
  const errcode = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
  const message = error instanceof Error ? error.message : String(error);
  return { message, errcode, isReplaced: error instanceof ReplacedError, isConflict: error instanceof ConflictError };
}

function answer(call: SqliteCall): SqliteAnswer {
  currentCall = call.id;
  try {
    return { id: call.id, result: execute(call) };
  } catch (error) {
    return { id: call.id, failure: describeFailure(error) };
  }
}

parentPort?.on('message', (call: SqliteCall) => parentPort?.postMessage(answer(call)));
