/** Archives that other versions of the operator have written, in both databases. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Archive } from '../../src/audit/archive/archive.ts';
import { openArchive } from '../../src/audit/archive/open-archive.ts';
import type { EntryFilter } from '../../src/domain/history/entry.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { databases } from '../support/archive/databases.ts';
import { keysOf, record } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';
import { beforeChain, dropped, since } from '../support/archive/undo-migrations.ts';

const notice = (sentence: string) => {
  throw new Error(sentence);
};
const usage = ['counts', 'seen', 'applications', 'sdks', 'instances', 'unknown', 'writers'].map(
  (name) => `usage_${name}`,
);
const authors = ['authors', 'authored'];
const facetIndexes = ['time', 'feature', 'project', 'created_by', 'type', 'environment', 'owner', 'way'];
/** Earlier operators keep no versions of objects. */
const versions = [
  ...beforeChain,
  ...dropped('contents', 'tracked', 'versions', 'version_scopes'),
  since('0010-versions'),
];
/** Earlier versions have no edges. */
const edges = [...versions, 'drop table usage_edges', since('0009-edges')];
/** Earlier versions have other indexes, without the way. */
const ways = [
  ...edges,
  ...facetIndexes.map((name) => `drop index facets_by_${name}`),
  'alter table facets drop column way',
  since('0008-ways'),
];
const channels = [
  ...ways,
  ...['channel', 'field_manager', 'reason'].map((name) => `alter table entries drop column ${name}`),
];

/** Statements that take an archive back to an earlier version, or to a newer one. The first one undoes the most. */
const former = {
  'before versions had eras': [
    ...channels,
    ...dropped(...usage, ...authors, 'masked_texts'),
    'alter table entries drop column earliest_at',
    'alter table states drop column changed_at',
    'alter table cursors drop column era',
    since('0002-eras'),
  ],
  'before ways were searched': ways,
  'a newer version, which was rolled back': [
    'alter table cursors add column later bigint not null default 0',
    "insert into kysely_migration values ('9999-later', '2030-01-01T00:00:00Z')",
  ],
};

describe.each(Object.entries(databases))('an archive in %s', (_, start) => {
  let database: RunningDatabase;
  let url: string;
  let archive: Archive;

  beforeAll(async () => {
    database = await start();
  });
  beforeEach(async () => {
    url = await database.freshArchive();
    archive = openArchive(url, { notice });
    return () => archive.close();
  });
  afterAll(() => database?.stop());

  async function leftFrom(version: keyof typeof former): Promise<void> {
    await archive.close();
    for (const statement of former[version]) await database.execute(url, statement);
    archive = openArchive(url, { notice });
  }

  test('from a newer version works', async () => {
    await record(archive, [anEntry('before')]);
    await leftFrom('a newer version, which was rolled back');
    await record(archive, [anEntry('after')]);
    expect(await keysOf(archive)).toEqual(['after', 'before']);
    expect(await archive.cursors()).toMatchObject([{ revision: 2, era: 0 }]);
  });

  test('from the first version works, and its entries are found by their authors and by no masked part', async () => {
    // More than the migrations read at once.
    const entries = Array.from({ length: 510 }, (_, index) => {
      const data = index % 2 === 0 ? { email: 'vic.secret@example.com' } : { name: 'vic.secret' };
      return anEntry(`${index}`, { data, createdBy: `user-${index % 3}` });
    });
    await record(archive, entries);
    await leftFrom('before versions had eras');
    expect(await archive.cursors()).toMatchObject([{ revision: 1, era: 0 }]);
    const totalOf = async (filter: EntryFilter) => (await archive.search(filter, { offset: 0, limit: 1 })).total;
    const text = 'vic.secret';
    expect([await totalOf({ text }), await totalOf({ text, masked: true })]).toEqual([510, 255]);
    expect(await totalOf({ author: 'USER-1' })).toBe(170);
    await record(archive, [anEntry('after')]);
    expect(await keysOf(archive, {}, 0, 1)).toEqual(['after']);
    expect(await archive.cursors()).toMatchObject([{ revision: 2, era: 0 }]);
  });

  test('finds earlier entries by their ways', async () => {
    const by = (fieldManager: string) => ({ channel: 'kubernetes', fieldManager }) as const;
    await record(archive, [
      anEntry('edited', by('kubectl-edit')),
      anEntry('applied', by('kustomize-controller')),
      anEntry('clicked', { channel: 'console' }),
      anEntry('old'),
    ]);
    await leftFrom('before ways were searched');
    for (const [way, key] of Object.entries({ kubectl: 'edited', controller: 'applied', console: 'clicked' })) {
      expect(await keysOf(archive, { ways: [way as 'kubectl'] })).toEqual([key]);
    }
    expect(await keysOf(archive, { ways: ['unknown'] })).toEqual(['old']);
  });
});
