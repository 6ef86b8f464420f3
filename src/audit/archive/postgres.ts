/** The archive in a database of PostgreSQL. */
import { AbortedTransactionError, Kysely, PostgresDialect, sql } from 'kysely';
import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { AppError } from '../../errors.ts';
import type { ArchiveSize } from '../archive.ts';
import { codeOf, type Judgement } from './failures.ts';
import { createLanes, type Searcher, type SearchLimits, withEnding } from './lanes.ts';
import { migrate } from './migrations.ts';
import { ensureTextIndex } from './postgres-text-index.ts';
import type { Connectable, Opened } from './reconnect.ts';
import type { Tables } from './tables.ts';

export interface PostgresParts {
  readonly notice: (sentence: string) => void;
  readonly lockWaitMs: number;
  readonly limits: SearchLimits;
}

/** For recording and publishing: one that writes, and a few that read. */
const CONNECTIONS = 4;
/** For searches, of which so many run at a time. */
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
  if (!URL.canParse(url)) throw new AppError('invalid', 'The postgres:// URL of the archive is no URL');
  const { host, pathname, password } = new URL(url);
  return { password: decodeURIComponent(password), place: `postgres://${host}${pathname}` };
}

async function open(url: string, { notice, lockWaitMs, limits }: PostgresParts): Promise<Opened> {
  const settings = settingsOf(url, lockWaitMs);
  const pool = openPool({ ...settings, max: CONNECTIONS });
  const ofSearches = {
    ...settings,
    max: SHORT_SEARCHES + LONG_SEARCHES,
    // The server ends a search also when this process cannot tell it to any more.
    statement_timeout: limits.longMs,
    query_timeout: limits.longMs + CONNECT_MS,
  };
  const searcher = createSearcher(ofSearches);
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
    return { kind: 'postgres', reader: db, writer: db, searches, size: () => sizeOf(db), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function sizeOf(db: Kysely<Tables>): Promise<ArchiveSize> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return { bytes: rows[0]?.bytes ?? 0, availableBytes: undefined };
}

function openPool(settings: PoolConfig): Pool {
  const pool = new Pool(settings);
  // An error with nobody waiting for an answer, such as a server that ends, is found again by the next call.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Connections that recording never needs. */
function createSearcher(settings: PoolConfig & ClientConfig): Searcher {
  const pool = openPool(settings);
  let closing: Promise<void> | undefined;
  return {
    async use(ending, work) {
      const client = await pool.connect();
      let isOfUse = true;
      try {
        return await withEnding(ending, async (ended) => {
          const cancelling = cancelAtEnd(settings, client, ended);
          try {
            return await work(databaseOf(client, ended));
          } finally {
            isOfUse = !(await cancelling());
          }
        });
      } finally {
        // What was to cancel one statement may arrive during the next one.
        client.release(!isOfUse);
      }
    },
    close: () => (closing ??= pool.end()),
  };
}

/** One connection, for as long as a search needs it; no statement begins once the signal has aborted. */
function databaseOf(client: PoolClient, ended: AbortSignal): Kysely<Tables> {
  const query = async (statement: string, parameters: unknown[]) => {
    ended.throwIfAborted();
    return client.query(statement, parameters);
  };
  const only = { query, release: () => undefined };
  const pool = { connect: async () => only, end: async () => undefined, options: {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as Pool }) });
}

/** Ends what a connection does once the signal aborts. Gives what waits until that is done, and says whether it was. */
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
    // Should the network swallow an answer, nobody waits for it for hours.
    query_timeout: STATEMENT_MS + CONNECT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    types: { getTypeParser: (type, format) => (type === INT8 ? Number : types.getTypeParser(type, format)) },
  };
}

/** Undefined table or schema: the database was made anew. */
function isWithoutTables(error: unknown): boolean {
  return ['42P01', '3F000'].includes(codeOf(error));
}

/** Connection, transaction rolled back, authorization, database, resources, operator, system; and some of their own. */
const passingClasses = new Set(['08', '40', '28', '3D', '53', '57', '58']);
const passingCodes = new Set(['25006', '55P03', '42501', '42P01', '3F000']);

function judge(error: unknown): Judgement {
  const reopen = isWithoutTables(error);
  const code = codeOf(error);
  if (/^[0-9A-Z]{5}$/.test(code))
    return { passes: passingCodes.has(code) || passingClasses.has(code.slice(0, 2)), reopen };
  return { passes: error instanceof AbortedTransactionError || !isMistake(error), reopen };
}

/** What the client for PostgreSQL says about connections has no code of its own, or one of the system (ECONNREFUSED). */
function isMistake(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
