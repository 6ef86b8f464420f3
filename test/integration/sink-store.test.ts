/**
 * The places of sinks in both databases. PostgreSQL commits entries in another order than that of their ids: sinks pass
 * none over.
 */
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { archiveIn, openDatabase } from '../../src/audit/archive/open-archive.ts';
import type { Connected } from '../../src/audit/archive/reconnect.ts';
import { type SinkStore, sinkStoreIn } from '../../src/audit/archive/sinks/sink-store.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { databases } from '../support/archive/databases.ts';
import { record } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const notice = (sentence: string) => {
  throw new Error(sentence);
};

describe.each(Object.entries(databases))('in %s', (kind, start) => {
  let database: RunningDatabase;
  let url: string;
  let connected: Connected;
  let store: SinkStore;

  beforeAll(async () => {
    database = await start();
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

  test('a new sink begins with the entries since its creation, and keeps its place', async () => {
    await recordAt(1000, 2000, 3000);
    const place = await store.open('u', 2000);
    expect(place).toMatchObject({ revision: 1, lastId: 0, setAside: 0, gone: 0, replay: null });
    expect(await keysAfter(place.position)).toEqual(['at-2000', 'at-3000']);
    const [first] = await store.after(place.position);
    const moved = { ...place, position: first?.id ?? 0, lastId: first?.id ?? 0, setAside: 2, lastSetAside: 'x' };
    expect(await store.save('u', moved)).toBe(2);
    expect(await store.open('u', 0)).toEqual({ ...moved, revision: 2 });
    await expect(store.save('u', moved)).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.lag(moved.position)).toEqual({ entries: 1, oldestAt: 3000 });
    expect(await store.positionAt(1000)).toBe(0);
    expect(await store.lag(await store.positionAt(4000))).toEqual({ entries: 0, oldestAt: undefined });
  });

  test('sinks that are gone are forgotten', async () => {
    await recordAt(1000);
    for (const uid of ['a', 'b']) await store.save(uid, { ...(await store.open(uid, 0)), setAside: 1 });
    await store.keepOnly(['b']);
    expect([(await store.open('a', 0)).setAside, (await store.open('b', 0)).setAside]).toEqual([0, 1]);
  });

  test('a page is bounded', async () => {
    await recordAt(...Array.from({ length: 30 }, (_, index) => index));
    const page = await store.after(0);
    expect(page).toHaveLength(20);
    expect(await store.after(page.at(-1)?.id ?? 0)).toHaveLength(10);
  });

  if (kind !== 'postgres') return;

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
        const { rows } = await slow.query(
          "select 1 from pg_locks where not granted and relation = 'cursors'::regclass",
        );
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
});
