/** What is said between the archive and the thread that has its SQLite connection. */
export type SqliteValue = string | number | null;
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

export interface SqliteSettings {
  readonly path: string;
  readonly readOnly: boolean;
  /** How long a lock of another process is waited for. */
  readonly lockWaitMs: number;
}

/** What the thread begins with. */
export interface SqliteStart extends SqliteSettings {
  /** One Int32 that both sides share: the id of the call whose statement is to end. */
  readonly cancelled: SharedArrayBuffer;
}

/** As the shared id: whatever statement runs is to end. */
export const EVERY_CALL = -1;

/** `begin` starts a transaction that writes, unless the file is another one by now; `close` ends the thread. */
export type SqliteWork =
  | { readonly action: 'open' | 'begin' | 'close' }
  | { readonly action: 'run'; readonly sql: string; readonly parameters: readonly SqliteValue[] };

export type SqliteCall = SqliteWork & { readonly id: number };

export interface SqliteFailure {
  readonly message: string;
  /** The result code of SQLite, whose lower 8 bits say the kind; 0: none. */
  readonly errcode: number;
  readonly isReplaced: boolean;
}

export interface SqliteResult {
  readonly rows: readonly SqliteRow[];
  readonly changes: number;
}

export type SqliteAnswer = { readonly id: number } & (
  | { readonly result: SqliteResult }
  | { readonly failure: SqliteFailure }
);
