import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Archive } from '../../src/audit/archive/archive.ts';
import { openArchive } from '../../src/audit/archive/open-archive.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { databases } from '../support/archive/databases.ts';
import { aBatch, keysOf, record, SCOPE, streamed } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';

const notice = (sentence: string) => {
  throw new Error(sentence);
};
const content = { version: '7', fingerprint: '[1]', object: '{"a":"ä"}' };
const aState = { uid: 'u1', key: 'shop/one', scope: SCOPE, changedAt: 1_767_225_600_000, ...content };

describe.each(Object.entries(databases))('an archive in %s', (_, start) => {
  let database: RunningDatabase;
  let url: string;
  let archive: Archive;
  const opened: Archive[] = [];

  function open(): Archive {
    // Several openers of an empty database, and several writers, wait for each other.
    const one = openArchive(url, { notice, lockWaitMs: 30_000 });
    opened.push(one);
    return one;
  }

  beforeAll(async () => {
    database = await start();
  });
  beforeEach(async () => {
    url = await database.freshArchive();
    archive = open();
    return async () => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
    };
  });
  afterAll(() => database?.stop());

  test('is empty at first', async () => {
    expect(await archive.cursors()).toEqual([]);
    expect(await archive.states(['u1'])).toEqual(new Map());
    expect(await archive.knownIn(SCOPE)).toEqual([]);
    expect(await archive.search({}, { offset: 0, limit: 10 })).toEqual({ entries: [], total: 0 });
    expect(await archive.backlog()).toEqual({ count: 0, oldest: undefined });
    expect(await archive.unpublished(10)).toEqual([]);
    expect(await archive.prune(9e12, 10)).toBe(0);
    expect(await streamed(archive)).toEqual([]);
  });

  test('a batch is there at once, with its cursor and states, also for a connection that is opened later', async () => {
    const entry = anEntry('a', {
      data: { text: 'a "quote", a \\ and \u0000, 👍 \ud800', deep: [1, null, { x: true }] },
      preData: { name: 'before' },
      tags: [{ type: 'simple', value: 'ä' }],
      environment: 'production',
      ip: '::1',
      subject: 's',
      coalesced: true,
      earliestAt: 1_767_225_500_000,
      createdByUserId: -42,
    });
    await archive.commit(aBatch({ states: [aState], entries: [entry] }));
    for (const one of [archive, open()]) {
      expect(await one.cursors()).toEqual([{ scope: SCOPE, version: '10', revision: 1, era: 0, movedAt: 5_000 }]);
      expect(await one.states(['u1', 'u2'])).toEqual(new Map([['u1', aState]]));
      expect(await one.knownIn(SCOPE)).toEqual([
        { uid: 'u1', key: 'shop/one', version: aState.version, fingerprint: aState.fingerprint },
      ]);
      expect(await one.knownIn('projects/')).toEqual([]);
      const { entries } = await one.search({}, { offset: 0, limit: 10 });
      expect(entries).toEqual([{ ...entry, id: entries[0]?.id }]);
    }
  });

  test('a later batch replaces states, and removes those of deleted objects', async () => {
    const other = { ...aState, uid: 'u2' };
    await archive.commit(aBatch({ states: [aState, other] }));
    const next = { ...aState, version: '8', changedAt: 1_767_225_700_000, object: '{}' };
    await archive.commit(aBatch({ after: 1, version: '11', at: 6_000, states: [aState, next], gone: ['u2', 'u3'] }));
    expect(await archive.states(['u1', 'u2'])).toEqual(new Map([['u1', next]]));
    expect(await archive.cursors()).toEqual([{ scope: SCOPE, version: '11', revision: 2, era: 0, movedAt: 6_000 }]);
    // Versions start again in another era, and each scope has a cursor of its own.
    await archive.commit(aBatch({ after: 2, version: '4', era: 3 }));
    await archive.commit(aBatch({ scope: 'a/', version: '3' }));
    expect(await archive.cursors()).toMatchObject([
      { scope: 'a/', version: '3', revision: 1, era: 0 },
      { scope: SCOPE, version: '4', revision: 3, era: 3 },
    ]);
  });

  test('a batch that expects no cursor, an earlier or a later one is a conflict and changes nothing', async () => {
    await archive.commit(aBatch());
    await archive.commit(aBatch({ after: 1, version: '11' }));
    for (const after of [undefined, 1, 3]) {
      const late = aBatch({ after, version: '99', states: [aState], entries: [anEntry('late')] });
      await expect(archive.commit(late)).rejects.toMatchObject({ code: 'conflict' });
    }
    expect(await archive.cursors()).toMatchObject([{ version: '11', revision: 2 }]);
    expect(await archive.knownIn(SCOPE)).toEqual([]);
    expect(await keysOf(archive)).toEqual([]);
    await expect(archive.commit(aBatch({ scope: 'another/', after: 1 }))).rejects.toMatchObject({ code: 'conflict' });
    expect(await archive.cursors()).toHaveLength(1);
  });

  test('of simultaneous writers of the same batch one succeeds, also later', async () => {
    for (const after of [undefined, 1]) {
      const ends = await Promise.allSettled(
        Array.from({ length: 6 }, (_, index) =>
          open().commit(aBatch({ after, entries: [anEntry(`${after}-${index}`)] })),
        ),
      );
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'conflict' });
    }
    expect(await keysOf(archive)).toHaveLength(2);
  });

  test('an entry whose key exists stays unchanged', async () => {
    await record(archive, [anEntry('a'), anEntry('a', { createdBy: 'twice' })]);
    await record(archive, [anEntry('a', { createdBy: 'other', data: { name: 'other' } }), anEntry('b')]);
    const { entries } = await archive.search({}, { offset: 0, limit: 10 });
    expect(entries.map(({ key, createdBy }) => [key, createdBy])).toEqual([
      ['b', 'ann@example.com'],
      ['a', 'ann@example.com'],
    ]);
    expect(await keysOf(archive, { text: 'other' })).toEqual([]);
  });

  test('a batch may be large', async () => {
    const entries = Array.from({ length: 1_100 }, (_, index) => anEntry(`k${index}`, { featureName: `f${index}` }));
    const states = entries.map(({ uid }) => ({ ...aState, uid }));
    await archive.commit(aBatch({ entries, states }));
    expect((await archive.search({}, { offset: 0, limit: 1 })).total).toBe(1_100);
    expect(await archive.knownIn(SCOPE)).toHaveLength(1_100);
    expect((await archive.states(states.map(({ uid }) => uid))).size).toBe(1_100);
    await archive.commit(aBatch({ after: 1, gone: states.map(({ uid }) => uid) }));
    expect(await archive.knownIn(SCOPE)).toEqual([]);
    const features = entries.map(({ featureName }) => featureName ?? '');
    expect(await keysOf(archive, { features }, 1_090)).toHaveLength(10);
  });

  test('entries wait for their Events, the oldest first, until they are settled', async () => {
    await record(archive, [
      anEntry('a', { createdAt: 30 }),
      anEntry('b', { createdAt: 20 }),
      anEntry('c', { createdAt: 40 }),
    ]);
    const waiting = await archive.unpublished(2);
    expect(waiting.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(await archive.backlog()).toEqual({ count: 3, oldest: 20 });
    await archive.settle([waiting[0]?.id ?? 0], 'published');
    await archive.settle([waiting[1]?.id ?? 0], 'refused');
    await archive.settle([], 'refused');
    expect((await archive.unpublished(10)).map(({ key }) => key)).toEqual(['c']);
    expect(await archive.backlog()).toEqual({ count: 1, oldest: 40 });
  });

  test('restored entries are published already, and are taken once', async () => {
    await record(archive, [anEntry('a')]);
    const restored = [anEntry('a'), anEntry('b', { restored: true, data: { name: 'from an Event' } })];
    expect(await archive.restore(restored)).toBe(1);
    expect(await archive.restore(restored)).toBe(0);
    expect(await archive.restore([])).toBe(0);
    expect((await archive.unpublished(10)).map(({ key }) => key)).toEqual(['a']);
    expect((await archive.search({ text: 'an Event' }, { offset: 0, limit: 9 })).entries).toMatchObject([
      { key: 'b', restored: true },
    ]);
  });

  test('batches, settling and pruning at the same time wait for each other', async () => {
    const inTurn = async (act: (number: number) => Promise<unknown>) => {
      for (let number = 0; number < 8; number += 1) await act(number);
    };
    await Promise.all([
      inTurn((number) => archive.commit(aBatch({ scope: `s${number}/`, entries: [anEntry(`k${number}`)] }))),
      inTurn((number) => archive.settle([number], 'published')),
      inTurn(() => archive.prune(0, 10)),
    ]);
    expect((await archive.cursors()).length).toBe(8);
    expect((await streamed(archive)).length).toBe(8);
  });

  test('old entries are pruned in small batches, with all their index rows, except those that wait', async () => {
    const entries = ['a', 'b', 'c', 'd'].map((key, index) =>
      anEntry(key, { createdAt: index, data: { name: `word-${key}` } }),
    );
    await record(archive, entries);
    const ids = (await archive.unpublished(9)).map(({ id }) => id);
    await archive.settle(ids.slice(0, 1), 'published');
    await archive.settle(ids.slice(2, 3), 'refused');
    await archive.settle(ids.slice(3), 'published');
    expect(await archive.prune(3, 1)).toBe(1);
    expect(await keysOf(archive)).toEqual(['d', 'c', 'b']);
    expect(await archive.prune(3, 10)).toBe(1);
    expect(await archive.prune(3, 10)).toBe(0);
    for (const text of ['word', 'wo', '']) {
      expect(await archive.search({ text }, { offset: 0, limit: 9 })).toMatchObject({
        total: 2,
        entries: [{ key: 'd' }, { key: 'b' }],
      });
    }
    expect((await streamed(archive)).map(({ key }) => key)).toEqual(['b', 'd']);
    expect(await keysOf(archive, { text: 'word-a' })).toEqual([]);
  });

  test('ids grow, also after the newest entry was pruned and the archive was opened again', async () => {
    await record(archive, [anEntry('a'), anEntry('b')]);
    const ids = (await archive.unpublished(9)).map(({ id }) => id);
    await archive.settle(ids, 'published');
    expect(await archive.prune(9e12, 10)).toBe(2);
    await archive.close();
    archive = open();
    await record(archive, [anEntry('c')]);
    const [c] = await streamed(archive);
    expect(c?.id).toBeGreaterThan(Math.max(...ids));
  });

  test('a stream has all matches, by id, in pages, and nothing that is newer than its start', async () => {
    const many = Array.from({ length: 750 }, (_, index) =>
      anEntry(`k${index}`, { createdAt: 1_000 - index, data: { name: index % 2 === 0 ? 'Even' : 'odd' } }),
    );
    await record(archive, many);
    const stream = archive.stream({ text: 'even' }, new AbortController().signal);
    const keys: string[] = [];
    for await (const { key } of stream) {
      if (keys.length === 0) await record(archive, [anEntry('late', { data: { name: 'even' } })]);
      keys.push(key);
    }
    expect(keys).toEqual(many.filter((_, index) => index % 2 === 0).map(({ key }) => key));
    expect(await streamed(archive, { features: ['nobody'] })).toEqual([]);
  });

  test('a stream ends with the reason of its signal', async () => {
    await record(archive, [anEntry('a'), anEntry('b')]);
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { key } of archive.stream({}, stop.signal)) {
        seen.push(key);
        stop.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    expect(seen).toEqual(['a']);
  });

  test('simultaneous openers of an empty database create its tables once', async () => {
    url = await database.freshUrl();
    const all = Array.from({ length: 4 }, () => open());
    expect(await Promise.all(all.map((one) => one.cursors()))).toEqual([[], [], [], []]);
  });

  test('is unavailable once it is closed', async () => {
    await archive.cursors();
    await archive.close();
    await archive.close();
    await expect(archive.cursors()).rejects.toMatchObject({ code: 'unavailable' });
  });
});

test.each(['', 'mysql://a/b', 'postgres:nonsense', 'postgres://a b:secret@x:y/z'])(
  '%j is no URL of an archive',
  (url) => {
    expect(() => openArchive(url, { notice })).toThrow(expect.objectContaining({ code: 'invalid' }));
    expect(() => openArchive(url, { notice })).not.toThrow(/secret/);
  },
);
