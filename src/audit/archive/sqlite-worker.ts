/** One SQLite connection on a thread of its own, as every call to it blocks. */
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
} from './sqlite-messages.ts';

const { path, readOnly, lockWaitMs, cancelled } = workerData as SqliteStart;
const cancelledCall = new Int32Array(cancelled);
let currentCall = 0;
const nothing: SqliteResult = { rows: [], changes: 0 };
const MAX_STATEMENTS = 64;

class ReplacedError extends Error {}

let database: DatabaseSync | undefined;
/** Which file was opened, as a path may lead to another one later; and which are beside it. */
let identity: string | undefined;
let besides: readonly (string | undefined)[] = [];
const statements = new Map<string, StatementSync>();

function identify(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}/${found.ino}`;
}

const besidePaths = [`${path}-wal`, `${path}-shm`];

/**
 * FULL: a commit is on the disk before it is acknowledged, so that it outlives a power failure too. NORMAL would outlive
 * the end of the process, but then lose the last commits: Events would tell of entries that are not there.
 */
function open(): SqliteResult {
  if (!readOnly) createForOwner();
  const opened = new DatabaseSync(path, { readOnly, timeout: lockWaitMs });
  try {
    if (readOnly) {
      opened.exec('pragma cache_size = -32768');
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

/** SQLite would make a file that others may read; the files beside it get the permissions of this one. */
function createForOwner(): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch {
    // It is there already, or SQLite says why it cannot be.
  }
}

/**
 * Node.js has no way to interrupt a statement of SQLite. A statement that looks into texts calls one of these for each
 * of them instead, and what they throw ends it.
 */
function defineFunctions(opened: DatabaseSync): void {
  // Both may change their mind from row to row, so that SQLite asks them for each.
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
    throw new ReplacedError(`${path} is another file now`);
  }
  besides = besidePaths.map(identify);
  connection().exec('begin immediate');
  return nothing;
}

/**
 * Of a file that is not at its place any more SQLite leaves the log behind, and whoever opens the next file at this
 * place would take the changes in that log for its own.
 */
function leaveFile(): void {
  statements.clear();
  database?.close();
  database = undefined;
  besidePaths.forEach((beside, index) => {
    if (identify(beside) === besides[index]) rmSync(beside, { force: true });
  });
}

function connection(): DatabaseSync {
  if (database === undefined) throw new Error('The connection is not open');
  return database;
}

function run({ sql, parameters }: Extract<SqliteCall, { action: 'run' }>): SqliteResult {
  const statement = prepare(sql);
  if (statement.columns().length > 0) return { rows: statement.all(...parameters) as SqliteRow[], changes: 0 };
  // What it gives beside is the row written last, which in an index of texts is more than a number can hold.
  statement.setReadBigInts(true);
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}

/** The statements of late are kept, as preparing one takes longer than running it. */
function prepare(sql: string): StatementSync {
  const known = statements.get(sql);
  const statement = known ?? connection().prepare(sql);
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

function perform(call: SqliteCall): SqliteResult {
  switch (call.action) {
    case 'open':
      return open();
    case 'begin':
      return begin();
    case 'run':
      return run(call);
    case 'close':
      return close();
  }
}

function describeFailure(error: unknown): SqliteFailure {
  const errcode = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
  const message = error instanceof Error ? error.message : String(error);
  return { message, errcode, isReplaced: error instanceof ReplacedError };
}

function answer(call: SqliteCall): SqliteAnswer {
  currentCall = call.id;
  try {
    return { id: call.id, result: perform(call) };
  } catch (error) {
    return { id: call.id, failure: describeFailure(error) };
  }
}

parentPort?.on('message', (call: SqliteCall) => parentPort?.postMessage(answer(call)));
