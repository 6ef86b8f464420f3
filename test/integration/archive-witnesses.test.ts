/** What the archive keeps of the audit log of the API server, in both databases. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Archive } from '../../src/audit/archive/archive.ts';
import { openArchive } from '../../src/audit/archive/open-archive.ts';
import type { LoggedWrite, NewWitness, WitnessedEntry } from '../../src/audit/archive/witnesses/logged-writes.ts';
import type { NewEntry } from '../../src/domain/history/entry.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { databases } from '../support/archive/databases.ts';
import { record } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';

const NOW = 1_700_000_000_000;
const PAGE = { offset: 0, limit: 50 };

const aWrite = (changes: Partial<LoggedWrite> = {}): LoggedWrite => ({
  ...{ id: 'a-1', resource: 'featureflags', namespace: 'team-a', uid: 'uid-1', revision: 2, generation: 2 },
  ...{ receivedAt: NOW, completedAt: NOW + 5, username: 'ada', impersonatedBy: null, ip: '203.0.113.7' },
  ...{ userAgent: 'kubectl/v1.36.3', fieldManager: 'kubectl-edit', object: '{"spec":{}}', ...changes },
});

const witnessFor = ({ write, entry }: WitnessedEntry, changes: Partial<NewWitness> = {}): NewWitness => ({
  ...{ entry, logged: write.id, receivedAt: write.receivedAt, completedAt: write.completedAt, confirms: true },
  ...{ createdBy: write.username, createdByUserId: 7, ip: write.ip, userAgent: write.userAgent },
  ...{ fieldManager: write.fieldManager, impersonatedBy: write.impersonatedBy, ...changes },
});

describe.each(Object.entries(databases))('in %s', (_, start) => {
  let database: RunningDatabase;
  let archive: Archive;

  beforeAll(async () => {
    database = await start();
  });
  afterAll(() => database.stop());
  beforeEach(async () => {
    archive = openArchive(await database.freshArchive(), { notice: () => undefined });
    return () => archive.close();
  });

  const unknown: Partial<NewEntry> = { createdBy: 'unknown', createdByUserId: -1, uid: 'uid-1', toVersion: '2' };
  const settleAll = async (changes?: Partial<NewWitness>) => {
    const found = await archive.log.witnessed(10);
    const witnesses = found.map((one) => witnessFor(one, changes));
    await archive.log.settle({ witnesses, settled: found.map(({ write }) => write.id) });
    return found;
  };

  test('a write finds the entries of its version, whichever came first', async () => {
    expect(await archive.log.add([aWrite(), aWrite({ id: 'a-2', uid: 'uid-2' })], NOW)).toBe(2);
    expect(await archive.log.witnessed(10)).toEqual([]);
    await record(archive, [anEntry('one', unknown), anEntry('two', unknown), anEntry('other', { toVersion: '2' })]);
    const found = await archive.log.witnessed(10);
    expect(found.map(({ write }) => write.id)).toEqual(['a-1', 'a-1']);
    expect(found[0]?.entry).toMatchObject({ createdBy: 'unknown', witness: undefined });
  });

  test('a deletion finds its entry by the object alone', async () => {
    await record(archive, [
      anEntry('changed', unknown),
      anEntry('deleted', { ...unknown, type: 'feature-deleted', toVersion: '9' }),
    ]);
    await archive.log.add([aWrite({ revision: null, object: null })], NOW);
    expect((await archive.log.witnessed(10)).map(({ entry }) => entry.type)).toEqual(['feature-deleted']);
  });

  test('an entry without an author gets one: in searches by author, user and way, and not in its own row', async () => {
    await record(archive, [anEntry('one', unknown)]);
    await archive.log.add([aWrite()], NOW);
    await settleAll();
    const shown = { createdBy: 'ada', createdByUserId: 7, channel: 'kubernetes', fieldManager: 'kubectl-edit' };
    for (const filter of [{ author: 'ADA' }, { createdBy: [7] }, { ways: ['kubectl'] as const }]) {
      const { entries } = await archive.search(filter, PAGE);
      expect(entries).toMatchObject([{ ...shown, ip: '203.0.113.7', witness: { confirms: true } }]);
    }
    expect((await archive.search({ author: 'unknown' }, PAGE)).entries).toEqual([]);
    expect(await archive.log.witnessed(10)).toEqual([]);
    expect(await archive.log.add([aWrite()], NOW)).toBe(0);
  });

  test('an author who is contradicted stays', async () => {
    await record(archive, [anEntry('one', { ...unknown, createdBy: 'the-boss', channel: 'kubernetes' })]);
    await archive.log.add([aWrite()], NOW);
    await settleAll({ confirms: false });
    const { entries } = await archive.search({ author: 'the-boss' }, PAGE);
    expect(entries).toMatchObject([{ createdBy: 'the-boss', witness: { confirms: false, createdBy: 'ada' } }]);
    expect((await archive.search({ author: 'ada' }, PAGE)).entries).toEqual([]);
  });

  test('a write that was answered earlier takes the place of a later one, and not the other way round', async () => {
    await record(archive, [anEntry('one', unknown)]);
    for (const [id, completedAt, counts] of [
      ['later', NOW + 9, 'later'],
      ['earlier', NOW + 5, 'earlier'],
      ['latest', NOW + 20, 'earlier'],
    ] as const) {
      await archive.log.add([aWrite({ id, completedAt, username: id })], NOW);
      await settleAll();
      const { entries } = await archive.search({ author: counts }, PAGE);
      expect(entries.map(({ createdBy }) => createdBy)).toEqual([counts]);
    }
  });

  test('a write that confirms takes the place of one that does not, if it arrived before that one was answered', async () => {
    await record(archive, [anEntry('one', { ...unknown, createdBy: 'ada', channel: 'kubernetes' })]);
    for (const [id, receivedAt, completedAt, counts] of [
      ['changed-nothing', NOW + 2, NOW + 5, 'changed-nothing'],
      ['too-late', NOW + 5, NOW + 9, 'changed-nothing'],
      ['maker', NOW + 4, NOW + 9, 'maker'],
      ['again', NOW + 2, NOW + 12, 'maker'],
    ] as const) {
      await archive.log.add([aWrite({ id, receivedAt, completedAt, username: id })], NOW);
      const [found] = await settleAll({ confirms: id !== 'changed-nothing' });
      if (id === 'maker') expect(found?.entry.witness).toEqual({ completedAt: NOW + 5, confirms: false });
      const { entries } = await archive.search({ author: 'ada' }, PAGE);
      expect(entries.map(({ witness }) => witness?.createdBy)).toEqual([counts]);
    }
  });

  test('positions of files move with their writes, and writes without entries are forgotten', async () => {
    await archive.log.add([aWrite()], NOW, { file: 'f', position: 10 });
    await archive.log.add([], NOW, { file: 'f', position: 20 });
    expect([...(await archive.log.positions())]).toEqual([['f', 20]]);
    expect(await archive.log.forget(NOW)).toBe(0);
    expect(await archive.log.forget(NOW + 1)).toBe(1);
  });

  test('a range has the writes of its kind and place, and objects on demand', async () => {
    const writes = [
      aWrite({ id: 'before', revision: 5 }),
      aWrite({ id: 'first', revision: 6 }),
      aWrite({ id: 'last', revision: 9 }),
      aWrite({ id: 'after', revision: 10 }),
      aWrite({ id: 'gone', revision: null, object: null, receivedAt: NOW + 1 }),
      aWrite({ id: 'elsewhere', revision: 7, namespace: 'team-b' }),
      aWrite({ id: 'other kind', revision: 7, resource: 'projects' }),
    ];
    await archive.log.add(writes, NOW);
    const range = { resource: 'featureflags', from: 5, until: 9 };
    const ids = async (namespace?: string) =>
      (await archive.log.range({ ...range, namespace })).map(({ id }) => id).toSorted();
    expect(await ids('team-a')).toEqual(['first', 'gone', 'last']);
    expect(await ids()).toEqual(['elsewhere', 'first', 'gone', 'last']);
    expect([...(await archive.log.objects(['first', 'gone', 'never']))]).toEqual([['first', '{"spec":{}}']]);
  });

  test('entries that a write made and that the log lacks are counted', async () => {
    const at = { createdAt: NOW, toVersion: '2' };
    await record(archive, [
      anEntry('named', { ...at, uid: 'uid-1' }),
      anEntry('lacking', { ...at, uid: 'uid-2' }),
      anEntry('by time', { ...at, channel: 'time' }),
      anEntry('by Vexil', { ...at, createdByUserId: -1337 }),
      anEntry('later', { ...at, createdAt: NOW + 100 }),
    ]);
    await archive.log.add([aWrite()], NOW);
    await settleAll();
    expect(await archive.log.unconfirmed(NOW, NOW + 100)).toBe(1);
  });

  test('Events of entries that name nobody wait for the log', async () => {
    const at = { createdAt: NOW };
    await record(archive, [
      anEntry('nobody', { ...unknown, ...at }),
      anEntry('anonymous', { ...unknown, ...at, uid: 'uid-3', channel: 'api' }),
      anEntry('program', { ...at, createdBy: 'field manager kubectl-edit', channel: 'kubernetes' }),
      anEntry('named', at),
    ]);
    const keys = async (unnamedBefore?: number) =>
      (await archive.unpublished(10, 0, unnamedBefore)).map(({ key }) => key);
    expect(await keys(NOW)).toEqual(['anonymous', 'named']);
    expect(await keys(NOW + 1)).toHaveLength(4);
    expect(await keys()).toHaveLength(4);
    await archive.log.add([aWrite()], NOW);
    await settleAll();
    expect(await keys(NOW)).toEqual(['nobody', 'anonymous', 'named']);
  });
});
