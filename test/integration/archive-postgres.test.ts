import { createServer, type Server } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Archive } from '../../src/audit/archive/archive.ts';
import { openArchive } from '../../src/audit/archive/open-archive.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { aBatch, keysOf, record, streamed } from '../support/archive/gather.ts';
import { type RunningPostgres, startPostgres } from '../support/archive/postgres.ts';
import { writeUntilKilled } from '../support/archive/write-until-killed.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const unavailable = expect.objectContaining({ code: 'unavailable' });
let server: RunningPostgres;
let url: string;
let archive: Archive;
let notices: string[];

beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  url = await server.freshArchive();
  notices = [];
  archive = openArchive(url, { notice: (sentence) => notices.push(sentence), lockWaitMs: 300 });
  return () => archive.close();
});
afterAll(() => server?.stop());

/** Opens another session, which stays open until it is ended. */
async function session(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

describe('faults', () => {
  test('a server that ends makes every call unavailable, and a restarted one has all data', async () => {
    await record(archive, [anEntry('a')]);
    await server.halt();
    try {
      for (const call of [archive.cursors(), archive.commit(aBatch({ after: 1 })), streamed(archive)]) {
        await expect(call).rejects.toEqual(unavailable);
      }
    } finally {
      await server.resume();
    }
    await record(archive, [anEntry('b')]);
    expect(await keysOf(archive)).toEqual(['b', 'a']);
  });

  test('a server that is down when the archive is opened is waited for', async () => {
    await server.halt();
    const early = openArchive(url, { notice: () => {} });
    try {
      await expect(early.cursors()).rejects.toEqual(unavailable);
    } finally {
      await server.resume();
    }
    expect(await early.cursors()).toEqual([]);
    await early.close();
  });

  test('linking and publishing do not end in a deadlock, whatever their order', async () => {
    const patient = openArchive(url, { notice: () => {}, lockWaitMs: 20_000 });
    await record(
      patient,
      ['a', 'b', 'c'].map((key) => anEntry(key)),
    );

    const other = await session();
    await other.query('begin; select id from entries where id = 2 for update');
    const both = Promise.all([patient.link(), patient.settle([3, 2, 1], 'published')]);
    await waitUntil({ what: 'both wait' }, async () => {
      const waiting = await server.query(url, "select pid from pg_stat_activity where wait_event_type = 'Lock'");
      return waiting.length === 2;
    });
    await other.query('rollback');
    await both;
    expect(await patient.unpublished(10)).toEqual([]);
    await Promise.all([other.end(), patient.close()]);
  });

  test('idle connections that end have no effect', async () => {
    await record(archive, [anEntry('a')]);
    const ended = await server.query(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'vexil'",
    );
    expect(ended.length).toBeGreaterThan(0);
    await waitUntil({ what: 'a connection that works' }, () =>
      archive.cursors().then(
        () => true,
        () => false,
      ),
    );
    expect(await keysOf(archive)).toEqual(['a']);
  });

  test('a connection that ends within a transaction undoes all of it', async () => {
    await record(archive, [anEntry('a')]);
    const other = await session();
    await other.query('begin; lock table states in access exclusive mode');
    const patient = openArchive(url, { notice: () => {}, lockWaitMs: 20_000 });
    const state = { uid: 'u', key: 'n/o', scope: 's', version: '1', fingerprint: '[1]', changedAt: 0, object: '{}' };
    const writing = patient.commit(aBatch({ after: 1, states: [state], entries: [anEntry('b')] }));
    const ending = expect(writing).rejects.toEqual(unavailable);
    await waitUntil({ what: 'the transaction was ended where it waits' }, async () => {
      const ended = await server.query(
        url,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'vexil' and wait_event_type = 'Lock'",
      );
      return ended.length > 0;
    });
    await ending;
    await other.end();
    expect(await patient.cursors()).toMatchObject([{ revision: 1 }]);
    await record(patient, [anEntry('c')]);
    expect(await keysOf(patient)).toEqual(['c', 'a']);
    await patient.close();
  });

  test('a table that another session has locked makes calls unavailable while it is locked', async () => {
    await record(archive, [anEntry('a')]);
    const other = await session();
    await other.query('begin; lock table entries, facets, cursors in access exclusive mode');
    await expect(record(archive, [anEntry('b')])).rejects.toEqual(unavailable);
    await expect(keysOf(archive)).rejects.toEqual(unavailable);
    await other.end();
    await waitUntil({ what: 'the lock is gone' }, () =>
      archive.cursors().then(
        () => true,
        () => false,
      ),
    );
    await record(archive, [anEntry('b')]);
    expect(await keysOf(archive)).toEqual(['b', 'a']);
  });

  test('missing tables are created again, and the cursor is gone with them', async () => {
    await record(archive, [anEntry('a')]);
    await server.query(url, 'drop schema public cascade; create schema public');
    await expect(archive.commit(aBatch({ after: 1 }))).rejects.toMatchObject({ code: 'conflict' });
    await record(archive, [anEntry('b')]);
    expect(await keysOf(archive, { text: 'checkout' })).toEqual(['b']);
  });

  test('a read-only database can be searched, and not written', async () => {
    await record(archive, [anEntry('a')]);
    const only = openArchive(`${url}?options=-c%20default_transaction_read_only%3Don`, { notice: () => {} });
    expect(await keysOf(only)).toEqual(['a']);
    await expect(only.commit(aBatch({ after: 1 }))).rejects.toEqual(unavailable);
    await only.close();
  });

  const wrong: Readonly<Record<string, (url: URL) => void>> = {
    'a wrong password': (one) => {
      one.password = 'top-secret';
    },
    'an unknown database': (one) => {
      one.pathname = '/nobody-made-this';
      one.password = server.password;
    },
    'a closed port': (one) => {
      one.port = '1';
      one.password = 'top-secret';
    },
  };
  test.each(Object.entries(wrong))('%s is unavailable, and no message has the password', async (_name, change) => {
    const other = new URL(url);
    change(other);
    const hindered = openArchive(other.href, { notice: () => {} });
    const error = await hindered.cursors().catch((thrown) => thrown);
    expect(error).toEqual(unavailable);
    expect(`${error.message} ${error.stack} ${error.cause}`).not.toContain(other.password);
    expect(error.message).toContain(other.host);
    await hindered.close();
  });

  test('a server that never answers is unavailable within seconds', async () => {
    const silent: Server = createServer(() => {});
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const hindered = openArchive(`postgres://a:b@127.0.0.1:${port}/c`, { notice: () => {} });
    await expect(hindered.cursors()).rejects.toEqual(unavailable);
    await hindered.close();
    silent.close();
  }, 15_000);
});

describe('pg_trgm', () => {
  test('is used if it is available', async () => {
    await archive.cursors();
    expect(notices).toEqual([]);
    expect(await server.query(url, "select 1 from pg_indexes where indexname = 'texts_by_trigram'")).toHaveLength(1);
  });

  test('is not needed: if it may not be created there is a notice, and it is created later if it may', async () => {
    url = await server.freshUrl();
    await server.query(url, "create role modest login password 'modest'; grant all on schema public to modest");
    // A user who may create objects in the database may also create trusted extensions.
    const modest = new URL(url);
    modest.username = 'modest';
    modest.password = 'modest';
    const first = openArchive(modest.href, { notice: (sentence) => notices.push(sentence) });
    await record(first, [anEntry('a')]);
    expect(notices).toEqual([expect.stringContaining('pg_trgm')]);
    expect(await keysOf(first, { text: 'CHECK' })).toEqual(['a']);
    await first.close();

    await server.query(url, 'create extension pg_trgm');
    const second = openArchive(modest.href, { notice: (sentence) => notices.push(sentence) });
    expect(await keysOf(second, { text: 'CHECK' })).toEqual(['a']);
    await second.close();
    expect(notices).toHaveLength(1);
    expect(await server.query(url, "select 1 from pg_indexes where indexname = 'texts_by_trigram'")).toHaveLength(1);
  });
});

test('a committed batch survives the end of the process', async () => {
  const said = await writeUntilKilled(url);
  // The writer may have written more entries than `keysOf` reads otherwise.
  const found = await keysOf(archive, {}, 0, 1_000_000);
  expect(said.filter((key) => !found.includes(key))).toEqual([]);
  expect(found.filter((key) => key.startsWith('k'))).toHaveLength(found.length / 2);
});
