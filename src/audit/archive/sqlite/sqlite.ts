/** The archive in a SQLite file. */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import type { ArchiveSize } from '../archive.ts';
import { codeOf } from '../failures.ts';
import { createLanes, type Searcher, type SearchLimits, withEnding } from '../lanes.ts';
import { migrate } from '../migrations.ts';
import type { Connectable, Opened } from '../reconnect.ts';
import type { Script } from '../statement.ts';
import type { Db, Tables } from '../tables.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import type { SqliteSettings } from './sqlite-messages.ts';
import { connectionClosed, SqliteError, type SqliteThread, startSqliteThread } from './sqlite-thread.ts';

export interface SqliteParts {
  readonly lockWaitMs: number;
  readonly limits: SearchLimits;
  /** Starts the thread of a connection; default: a thread of its own. */
  readonly start?: (settings: SqliteSettings) => SqliteThread;
}

export function sqliteArchive(path: string, parts: SqliteParts): Connectable {
  return {
    failures: { label: `The archive sqlite:${path}`, secret: undefined, judge },
    open: () => open(path, parts),
  };
}

/**
 * Recording reads and writes on one connection, because each thread takes memory. Searches have further connections to
 * the file, which is in WAL mode, so that neither waits for the other.
 */
async function open(path: string, { lockWaitMs, limits, start = startSqliteThread }: SqliteParts): Promise<Opened> {
  const recording = start({ path, readOnly: false, lockWaitMs });
  const lane = () => ({ places: 1, searcher: createSearcher({ path, readOnly: true, lockWaitMs }) });
  const searches = createLanes({ limits, short: lane(), long: lane() });
  // The last connection to close merges the WAL into the file; read-only connections cannot.
  const close = async () => {
    await searches.close();
    await recording.close();
  };
  try {
    const db = new Kysely<Tables>({ dialect: createSqliteDialect(recording) });
    await recording.execute({ action: 'open' });
    await migrate(db, 'sqlite');
    // Through Kysely, so that a script waits for a transaction of several messages.
    const run = (script: Script) => db.connection().execute(() => runScript(recording, script));
    return { kind: 'sqlite', db, run, searches, size: () => sizeOf(path, db), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One message, because each takes about as long as a small statement. */
async function runScript(recording: SqliteThread, script: Script): Promise<readonly number[]> {
  const steps = script.map(({ sql: { sqlite }, rows, conflict }) => ({ sql: sqlite, rows, conflict }));
  const { rows } = await recording.execute({ action: 'script', steps });
  return rows.map(({ changes }) => Number(changes));
}

/** Deleted rows leave free pages in the file, which does not shrink. */
async function sizeOf(path: string, db: Db): Promise<ArchiveSize> {
  const { rows } = await sql<{ free: number }>`
    select f.freelist_count * p.page_size as free from pragma_freelist_count as f, pragma_page_size as p`.execute(db);
  const files = await Promise.all([path, `${path}-wal`].map((file) => stat(file).catch(() => undefined)));
  const volume = await statfs(dirname(path));
  return {
    bytes: files.reduce((sum, file) => sum + (file?.size ?? 0), 0),
    availableBytes: volume.bavail * volume.bsize + (rows[0]?.free ?? 0),
  };
}

/** Starts its thread with the first search, because each thread takes memory. */
function createSearcher(settings: SqliteSettings): Searcher {
  let opening: Promise<SqliteThread> | undefined;
  let isClosed = false;

  async function open(): Promise<SqliteThread> {
    const thread = startSqliteThread(settings);
    try {
      await thread.execute({ action: 'open' });
      return thread;
    } catch (error) {
      opening = undefined;
      await thread.close();
      throw error;
    }
  }

  return {
    async use(ending, work) {
      // A search may change lanes while both are closed.
      if (isClosed) throw connectionClosed();
      opening ??= open();
      const thread = await opening;
      return withEnding(ending, (ended) => work(new Kysely<Tables>({ dialect: createSqliteDialect(thread, ended) })));
    },
    async close() {
      isClosed = true;
      const thread = await opening?.catch(() => undefined);
      await thread?.close();
    },
  };
}

/** Temporary result codes that leave the connection usable: busy, locked, out of memory, interrupted, full. */
const temporary = new Set([5, 6, 7, 9, 13]);
/**
 * Result codes that a new connection may solve: readonly, I/O error, corrupt, cannot open, protocol, not a database.
 */
const broken = new Set([8, 10, 11, 14, 15, 26]);

function judge(error: unknown): { isTemporary: boolean; reopen: boolean } {
  if (!(error instanceof SqliteError)) return { isTemporary: codeOf(error).startsWith('ERR_WORKER'), reopen: false };
  const kind = error.errcode & 0xff;
  const reopen = error.isOver || broken.has(kind);
  return { isTemporary: reopen || temporary.has(kind), reopen };
}
