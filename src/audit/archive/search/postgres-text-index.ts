/** Creates the trigram index of PostgreSQL; without it a text search scans all entries. */
import { Client, type ClientConfig } from 'pg';
import { codeOf } from '../failures.ts';

/** Insufficient privilege, feature not supported, extension file missing, operator class not on the search path. */
const permanentCodes = new Set(['42501', '0A000', '58P01', '42704']);
/** Timeout for building the index of a large archive. */
const BUILD_MS = 30 * 60_000;
/** Key of the advisory lock, arbitrary but unique to Vexil. */
const LOCK = 7_305_816_221;

export async function ensureTextIndex(settings: ClientConfig, notice: (sentence: string) => void): Promise<void> {
  const client = new Client({
    ...settings,
    statement_timeout: BUILD_MS,
    query_timeout: BUILD_MS,
    idle_in_transaction_session_timeout: BUILD_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query("select to_regclass('texts_by_trigram') is not null as made");
    if (rows[0]?.made !== true) await makeIndex(client);
  } catch (error) {
    if (!permanentCodes.has(codeOf(error))) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    notice(`The extension pg_trgm cannot be used: text search reads the whole archive. ${reason}`);
  } finally {
    await client.end();
  }
}

/** The lock lets concurrent processes wait for the first one. */
async function makeIndex(client: Client): Promise<void> {
  await client.query('begin');
  await client.query(`set local lock_timeout = ${BUILD_MS}`);
  await client.query(`select pg_advisory_xact_lock(${LOCK})`);
  await client.query('create extension if not exists pg_trgm');
  await client.query('create index if not exists texts_by_trigram on texts using gin (folded gin_trgm_ops)');
  await client.query('commit');
}
