/** The archive in PostgreSQL. */
import { AbortedTransactionError, CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { Refusal } from '../../errors.ts';
import type { ArchiveSize } from './archive.ts';
import { codeOf, type Judgement } from './failures.ts';
import { createLanes, type Searcher, type SearchLimits, withEnding } from './lanes.ts';
import { migrate } from './migrations.ts';
import type { Connectable, Opened } from './reconnect.ts';
import { ensureTextIndex } from './search/postgres-text-index.ts';
import { rowsAsJson, type Script } from './statement.ts';
import type { Tables } from './tables.ts';

export interface PostgresParts {
  readonly notice: (sentence: string) => void;
  readonly lockWaitMs: number;
  readonly limits: SearchLimits;
}

/** Connections for recording and publishing: one writes, the others read. */
const CONNECTIONS = 4;
/** Concurrency of searches. */
const SHORT_SEARCHES = 2;
const LONG_SEARCHES = 2;
const CONNECT_MS = 5_000;
const STATEMENT_MS = 30_000;
const INT8 = 20;

export function postgresArchive(url: string, parts: PostgresParts): Connectable {
  const { password, place } = partsOf(url);
  return {
    failures: { label: `The archive ${place}`, secret: password, judge },
    open: () => open(url, parts),
    isReplaced: isWithoutTables,
  };
}

function partsOf(url: string): { password: string; place: string } {
  if (!URL.canParse(url)) throw new Refusal('invalid', 'The postgres:// URL of the archive is not a valid URL');
  const { host, pathname, password } = new URL(url);
  return { password: decodeURIComponent(password), place: `postgres://${host}${pathname}` };
}

async function open(url: string, { notice, lockWaitMs, limits }: PostgresParts): Promise<Opened> {
  const settings = settingsOf(url, lockWaitMs);
  const pool = openPool({ ...settings, max: CONNECTIONS });
  const searchSettings = {
    ...settings,
    max: SHORT_SEARCHES + LONG_SEARCHES,
    // The server cancels a search even if this process can no longer do so.
    statement_timeout: limits.longMs,
    query_timeout: limits.longMs + CONNECT_MS,
  };
  const searcher = createSearcher(searchSettings);
  const searches = createLanes({
    limits,
    short: { places: SHORT_SEARCHES, searcher },
    long: { places: LONG_SEARCHES, searcher },
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const close = async () => {
    await Promise.all([db.destroy(), searches.close()]);
  };
  try {
    await migrate(db, 'postgres');
    await ensureTextIndex(settings, notice);
    const run = (script: Script) => runScript(db, script);
    return { kind: 'postgres', db, run, searches, size: () => sizeOf(db), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function runScript(db: Kysely<Tables>, script: Script): Promise<readonly number[]> {
  return db.transaction().execute(async (transaction) => {
    const written: number[] = [];
    for (const step of script) {
      const query = CompiledQuery.raw(step.sql.postgres, [rowsAsJson(step)]);
      const { numAffectedRows = 0n } = step.rows.length > 0 ? await transaction.executeQuery(query) : {};
      if (step.conflict !== undefined && numAffectedRows === 0n) throw new Refusal('conflict', step.conflict);
      written.push(Number(numAffectedRows));
    }
    return written;
  });
}

async function sizeOf(db: Kysely<Tables>): Promise<ArchiveSize> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return { bytes: rows[0]?.bytes ?? 0, availableBytes: undefined };
}

function openPool(settings: PoolConfig): Pool {
  const pool = new Pool(settings);
  // An error of an idle connection, such as a server shutdown, appears again on the next call.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A separate pool, so that searches never take connections from recording. */
function createSearcher(settings: PoolConfig & ClientConfig): Searcher {
  const pool = openPool(settings);
  let closing: Promise<void> | undefined;
  return {
    async use(ending, work) {
      const client = await pool.connect();
      let isReusable = true;
      try {
        return await withEnding(ending, async (ended) => {
          const cancelling = cancelAtEnd(settings, client, ended);
          try {
            return await work(databaseOf(client, ended));
          } finally {
            isReusable = !(await cancelling());
          }
        });
      } finally {
        // A late cancellation could hit the next statement of this connection.
        client.release(!isReusable);
      }
    },
    close: () => (closing ??= pool.end()),
  };
}

/** A database on one connection, for one search; no statement starts after the signal has aborted. */
function databaseOf(client: PoolClient, ended: AbortSignal): Kysely<Tables> {
  const query = async (statement: string, parameters: unknown[]) => {
    ended.throwIfAborted();
    return client.query(statement, parameters);
  };
  const only = { query, release: () => undefined };
  const pool = { connect: async () => only, end: async () => undefined, options: {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as Pool }) });
}

/**
 * Cancels the running statement when the signal aborts. Returns a function that waits for that and returns if it
 * happened.
 */
function cancelAtEnd(settings: ClientConfig, client: PoolClient, ended: AbortSignal): () => Promise<boolean> {
  let cancelling: Promise<void> | undefined;
  const cancelNow = () => {
    cancelling = cancelStatement(settings, client).catch(() => undefined);
  };
  ended.addEventListener('abort', cancelNow, { once: true });
  return async () => {
    ended.removeEventListener('abort', cancelNow);
    await cancelling;
    return cancelling !== undefined;
  };
}

async function cancelStatement(settings: ClientConfig, client: PoolClient): Promise<void> {
  const other = new Client(settings);
  other.on('error', () => undefined);
  try {
    await other.connect();
    const backend = 'processID' in client ? client.processID : undefined;
    await other.query('select pg_cancel_backend($1)', [backend]);
  } finally {
    await other.end();
  }
}

function settingsOf(url: string, lockWaitMs: number): PoolConfig & ClientConfig {
  return {
    connectionString: url,
    application_name: 'vexil',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    lock_timeout: lockWaitMs,
    statement_timeout: STATEMENT_MS,
    // Bounds the wait for an answer that the network lost.
    query_timeout: STATEMENT_MS + CONNECT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    types: { getTypeParser: (type, format) => (type === INT8 ? Number : types.getTypeParser(type, format)) },
  };
}

/** Undefined table or schema: the database was recreated. */
function isWithoutTables(error: unknown): boolean {
  return ['42P01', '3F000'].includes(codeOf(error));
}

/** Temporary SQLSTATE classes: connection, rollback, authorization, database, resources, operator, system. */
const temporaryClasses = new Set(['08', '40', '28', '3D', '53', '57', '58']);
const temporaryCodes = new Set(['25006', '55P03', '42501', '42P01', '3F000']);

function judge(error: unknown): Judgement {
  const reopen = isWithoutTables(error);
  const code = codeOf(error);
  if (/^[0-9A-Z]{5}$/.test(code))
    return { isTemporary: temporaryCodes.has(code) || temporaryClasses.has(code.slice(0, 2)), reopen };
  return { isTemporary: error instanceof AbortedTransactionError || !isMistake(error), reopen };
}

/** A bug, not a connection error: those have no code or a system code (ECONNREFUSED) in the PostgreSQL client. */
function isMistake(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
