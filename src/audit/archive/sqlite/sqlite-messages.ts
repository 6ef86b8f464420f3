/** Messages between the archive and the thread of its SQLite connection. */
export type SqliteValue = string | number | null;
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

export interface SqliteSettings {
  readonly path: string;
  readonly readOnly: boolean;
  /** How long to wait for a lock of another process. */
  readonly lockWaitMs: number;
}

/** The workerData of the thread. */
export interface SqliteStart extends SqliteSettings {
  /** A shared Int32: the id of the call to cancel. */
  readonly cancelled: SharedArrayBuffer;
}

/** Value of the shared id that cancels any running statement. */
export const EVERY_CALL = -1;

/** A prepared statement, run once for each row. */
export interface SqliteStep {
  readonly sql: string;
  readonly rows: readonly (readonly SqliteValue[])[];
  /** See `ScriptStep`. */
  readonly conflict?: string | undefined;
}

/**
 * `begin` starts a write transaction; `script` runs a whole one, and its result has the changes of each step; `close`
 * ends the thread.
 */
export type SqliteWork =
  | { readonly action: 'open' | 'begin' | 'close' }
  | { readonly action: 'script'; readonly steps: readonly SqliteStep[] }
  | { readonly action: 'run'; readonly sql: string; readonly parameters: readonly SqliteValue[] };

export type SqliteCall = SqliteWork & { readonly id: number };

export interface SqliteFailure {
  readonly message: string;
  /** The extended result code of SQLite; the lower 8 bits are the primary code; 0: none. */
  readonly errcode: number;
  /** A step with a conflict wrote no row; the message is its own. */
  readonly isConflict?: boolean;
}

export interface SqliteResult {
  readonly rows: readonly SqliteRow[];
  readonly changes: number;
}

export type SqliteAnswer = { readonly id: number } & (
  | { readonly result: SqliteResult }
  | { readonly failure: SqliteFailure }
);
