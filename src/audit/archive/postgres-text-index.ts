/** The index by which PostgreSQL finds texts; without it a search goes through all of them. */
import { Client, type ClientConfig } from 'pg';
import { codeOf } from './failures.ts';

/** Not allowed, not there, not installed, in a schema that is not looked into. */
const cannotBeMade = new Set(['42501', '0A000', '58P01', '42704']);
/** Over an archive that has grown without it. */
const BUILD_MS = 30 * 60_000;
/** Of all locks that name a number only this one is ours. */
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
    if (!cannotBeMade.has(codeOf(error))) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    notice(`The extension pg_trgm cannot be used, so that a search for text reads the whole archive: ${reason}`);
  } finally {
    await client.end();
  }
}

/** Who comes second waits, and finds it made. */
async function makeIndex(client: Client): Promise<void> {
  await client.query('begin');
  await client.query(`set local lock_timeout = ${BUILD_MS}`);
  await client.query(`select pg_advisory_xact_lock(${LOCK})`);
  await client.query('create extension if not exists pg_trgm');
  await client.query('create index if not exists texts_by_trigram on texts using gin (folded gin_trgm_ops)');
  await client.query('commit');
}
