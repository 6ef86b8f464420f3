/** The archive in a file of SQLite. */
import { Kysely } from 'kysely';
import { codeOf } from './failures.ts';
import { migrate } from './migrations.ts';
import type { Connectable, Opened } from './reconnect.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { SqliteError, startSqliteThread } from './sqlite-thread.ts';
import type { Tables } from './tables.ts';

export function sqliteArchive(path: string, lockWaitMs: number): Connectable {
  return {
    failures: { label: `The archive sqlite:${path}`, secret: undefined, judge },
    open: () => open(path, lockWaitMs),
    isReplaced: (error) => error instanceof SqliteError && error.isReplaced,
  };
}

/** Reading never waits for writing: each has a connection, and the log of changes (WAL) is between them. */
async function open(path: string, lockWaitMs: number): Promise<Opened> {
  const writing = startSqliteThread({ path, readOnly: false, lockWaitMs });
  const reading = startSqliteThread({ path, readOnly: true, lockWaitMs });
  // Who closes last takes the log into the file, which the one that reads may not.
  const close = async () => {
    await reading.close();
    await writing.close();
  };
  try {
    const writer = new Kysely<Tables>({ dialect: createSqliteDialect(writing) });
    const reader = new Kysely<Tables>({ dialect: createSqliteDialect(reading) });
    await writing.perform({ action: 'open' });
    await migrate(writer, 'sqlite');
    await reading.perform({ action: 'open' });
    return { kind: 'sqlite', reader, writer, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Result codes of SQLite that pass while the connection stays as it is: busy, locked, out of memory, interrupted, full. */
const passing = new Set([5, 6, 7, 9, 13]);
/** Those that a new connection may not have: error (tables are gone), readonly, I/O, corrupt, cannot open, protocol, no database. */
const broken = new Set([8, 10, 11, 14, 15, 26]);

function judge(error: unknown): { passes: boolean; reopen: boolean } {
  if (!(error instanceof SqliteError)) return { passes: codeOf(error).startsWith('ERR_WORKER'), reopen: false };
  const kind = error.errcode & 0xff;
  const reopen = error.isOver || error.isReplaced || broken.has(kind);
  return { passes: reopen || passing.has(kind), reopen };
}
