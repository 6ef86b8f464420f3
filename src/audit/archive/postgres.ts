/** The archive in a database of PostgreSQL. */
import { AbortedTransactionError, Kysely, PostgresDialect } from 'kysely';
import { type ClientConfig, Pool, type PoolConfig, types } from 'pg';
import { AppError } from '../../errors.ts';
import { codeOf, type Judgement } from './failures.ts';
import { migrate } from './migrations.ts';
import { ensureTextIndex } from './postgres-text-index.ts';
import type { Connectable, Opened } from './reconnect.ts';
import type { Tables } from './tables.ts';

export interface PostgresParts {
  readonly notice: (sentence: string) => void;
  readonly lockWaitMs: number;
}

/** One that writes, and a few that read: a replica asks for one page at a time and caller. */
const CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** A search without an index goes through everything. */
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

async function open(url: string, { notice, lockWaitMs }: PostgresParts): Promise<Opened> {
  const settings = settingsOf(url, lockWaitMs);
  const pool = new Pool(settings);
  // An error with nobody waiting for an answer, such as a server that ends, is found again by the next call.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(db, 'postgres');
    await ensureTextIndex(settings, notice);
    return { kind: 'postgres', reader: db, writer: db, close: () => db.destroy() };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function settingsOf(url: string, lockWaitMs: number): PoolConfig & ClientConfig {
  return {
    connectionString: url,
    application_name: 'vexil',
    max: CONNECTIONS,
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
