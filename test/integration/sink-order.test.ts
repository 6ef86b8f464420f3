/** PostgreSQL commits entries in another order than that of their ids: sinks pass none over. */
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { archiveIn, openDatabase } from '../../src/audit/archive/open-archive.ts';
import type { Connected } from '../../src/audit/archive/reconnect.ts';
import { type SinkStore, sinkStoreIn } from '../../src/audit/archive/sinks/sink-store.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { record } from '../support/archive/gather.ts';
import { startPostgres } from '../support/archive/postgres.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const notice = (sentence: string) => {
  throw new Error(sentence);
};

let database: RunningDatabase;
let url: string;
let connected: Connected;
let store: SinkStore;

beforeAll(async () => {
  database = await startPostgres();
});
beforeEach(async () => {
  url = await database.freshUrl();
  connected = openDatabase(url, { notice, lockWaitMs: 30_000 });
  store = sinkStoreIn(connected);
  return () => connected.close();
});
afterAll(() => database?.stop());

const recordAt = (...times: readonly number[]) =>
  record(
    archiveIn(connected),
    times.map((createdAt) => anEntry(`at-${createdAt}`, { createdAt })),
  );
const keysAfter = async (position: number) => (await store.after(position)).map(({ key }) => key);

test('an entry that gets its id first and is stored last is not passed over', async () => {
  await recordAt(1000);
  const [{ id = 0 } = {}] = await store.after(0);
  const slow = new Client({ connectionString: url });
  await slow.connect();
  try {
    // As a batch of another kind does: it holds its cursor, and has an id.
    await slow.query('begin');
    await slow.query("insert into cursors values ('projects/', '1', 1, 1, 0)");
    await slow.query(`insert into entries (key, created_at, type, tags, subject, created_by, created_by_user_id, resource,
      namespace, object, uid, from_version, to_version, coalesced, restored, publication)
      values ('slow', 1500, 'project-updated', '[]', '', 'a', 1, 'projects', 'n', 'o', 'p', '', '2', 0, 0, 0)`);
    await recordAt(2000);
    let hasEnded = false;
    const reading = keysAfter(id).finally(() => {
      hasEnded = true;
    });
    await waitUntil({ what: 'the reader waits' }, async () => {
      const { rows } = await slow.query("select 1 from pg_locks where not granted and relation = 'cursors'::regclass");
      return hasEnded || rows.length > 0;
    });
    await slow.query('commit');
    expect(await reading).toEqual(['slow', 'at-2000']);
  } finally {
    await slow.end();
  }
});

test('an id that is never stored holds nothing up', async () => {
  await recordAt(1000);
  await database.execute(url, "select nextval(pg_get_serial_sequence('entries', 'id'))");
  await recordAt(2000, 3000);
  expect(await keysAfter(0)).toEqual(['at-1000', 'at-2000', 'at-3000']);
});
