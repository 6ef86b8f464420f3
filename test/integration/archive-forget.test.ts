/** Forgetting a person in the archive, in both databases. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Archive, ObjectState } from '../../src/audit/archive/archive.ts';
import { type ForgettingArchive, forgettingIn } from '../../src/audit/archive/forget/forgetting-archive.ts';
import { archiveIn, openDatabase } from '../../src/audit/archive/open-archive.ts';
import type { Entry, NewEntry } from '../../src/domain/history/entry.ts';
import { createChainVerifier } from '../../src/domain/history/verify-chain.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { databases } from '../support/archive/databases.ts';
import { everythingIn, forgetAll } from '../support/archive/forget-all.ts';
import { aBatch, keysOf, record, SCOPE, streamed } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';

const NEW = 'forgotten-abcd1234';
const ADA = { user: 'ada', emails: [] };
/** More than two steps write. */
const ENTRIES = 160;

/** The FlagUser of Ada, which had another name before. */
const users: readonly NewEntry[] = [
  { data: { id: 7, username: 'ada', email: 'countess@example.com' }, preData: null },
  {
    data: { id: 7, username: 'ada', name: 'Ada Lovelace', email: 'Ada@Example.com' },
    preData: { id: 7, username: 'ada', email: 'countess@example.com' },
  },
].map((changes, index) =>
  anEntry(`user-${index}`, {
    ...changes,
    ...{ resource: 'flagusers', object: 'ada', uid: 'uid-of-ada', project: null, featureName: null },
    createdBy: 'root',
  }),
);

/** Entries by her, about her, and by others. */
function recorded(): readonly NewEntry[] {
  return Array.from({ length: ENTRIES }, (_, index) =>
    anEntry(`entry-${index}`, {
      ...[
        { createdBy: 'ada@example.com', createdByUserId: 7, ip: '192.0.2.7' },
        { createdBy: 'bob', data: { description: 'asked by Ada Lovelace, ask ada.' }, reason: 'ADA said so' },
        { createdBy: 'bob', ip: '192.0.2.8', data: { description: 'also in Canada, by al-ada' } },
        { createdBy: 'bob', subject: 'ada', preData: { roleId: 4, userId: 7, email: 'ada@example.com' } },
        { createdBy: 'earlier-name', createdByUserId: 7 },
      ][index % 5],
    }),
  );
}

function aFlag(uid: string, spec: object): ObjectState {
  const metadata = {
    ...{ namespace: 'team-a', name: uid, uid, resourceVersion: '5', generation: 1 },
    annotations: {
      'vexil.dev/created-by': 'ada',
      'vexil.dev/changed-by': 'ada',
      'vexil.dev/changed-from': '192.0.2.7',
    },
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const object = JSON.stringify({ metadata, spec, status: { changedBy: 'ada' } });
  return { uid, key: `team-a/${uid}`, version: '5', fingerprint: '[1,null,false]', scope: SCOPE, changedAt: 0, object };
}

describe.each(Object.entries(databases))('in %s', (name, start) => {
  let database: RunningDatabase;
  let url: string;
  let archive: Archive;
  let forgetting: ForgettingArchive;

  beforeAll(async () => {
    database = await start();
  });
  beforeEach(async () => {
    url = await database.freshArchive();
    const connected = openDatabase(url, { notice: () => {} });
    archive = archiveIn(connected);
    forgetting = forgettingIn(connected);
    return () => archive.close();
  });
  afterAll(() => database?.stop());

  async function linkAll(): Promise<void> {
    while ((await archive.link()).links > 0);
  }

  async function faultsOfChain() {
    await linkAll();
    const verifier = createChainVerifier();
    for await (const line of archive.chain(new AbortController().signal)) {
      verifier.accept(JSON.parse(JSON.stringify(line)));
    }
    return verifier.end();
  }

  async function changed(): Promise<readonly Entry[]> {
    return (await streamed(archive)).filter((entry) => JSON.stringify(entry).includes(NEW));
  }

  test('a person is gone from entries, their index and the bytes of the database', async () => {
    await record(archive, [...users, ...recorded()]);
    await linkAll();
    const person = await forgetting.begin(ADA, NEW);
    expect(person.words.toSorted()).toEqual(
      ['Ada Lovelace', 'Ada@Example.com', 'ada', 'ada@example.com', 'countess@example.com', 'earlier-name'].toSorted(),
    );
    const found = await forgetAll(forgetting, person);
    expect(found.entries).toBe((ENTRIES / 5) * 4 + users.length);
    await forgetting.end(NEW, () => anEntry('the-act', { createdBy: 'root' }));
    expect(await forgetting.cleanFile()).toBe(true);

    expect(await keysOf(archive, { text: 'lovelace' })).toEqual([]);
    expect(await keysOf(archive, { author: 'ada@' })).toEqual([]);
    expect(await keysOf(archive, { createdBy: [7] })).toEqual([]);
    expect(await keysOf(archive, { text: 'countess' })).toEqual([]);
    expect(await keysOf(archive, { author: NEW })).toHaveLength((ENTRIES / 5) * 2);
    expect(await keysOf(archive, { text: NEW }, 0, 1000)).toHaveLength((ENTRIES / 5) * 2 + users.length);
    const everything = await everythingIn(url);
    expect(
      everything.match(/.{20}(?:lovelace|ada@|countess|earlier-name|192\.0\.2\.7|"ada"|\bada\.).{20}/gis),
    ).toBeNull();
    expect(everything).not.toContain('|lov|');
    expect(everything).toContain('Canada, by al-ada');
    expect(everything).toContain('192.0.2.8');
    expect(await faultsOfChain()).toMatchObject({ findings: [], waiting: 0 });
  });

  test('a person is gone from what the audit log has said', async () => {
    await record(archive, [
      anEntry('by-kubectl', { createdBy: 'unknown', createdByUserId: -1, channel: 'kubernetes' }),
    ]);
    const [entry] = await streamed(archive);
    if (!entry) throw new Error('there is no entry');
    const said = { createdByUserId: 7, ip: '192.0.2.7', userAgent: 'kubectl of ada', fieldManager: 'kubectl-edit' };
    const completedAt = entry.createdAt;
    const times = { receivedAt: completedAt, completedAt };
    const witness = { ...said, ...times, createdBy: 'ada', confirms: true, impersonatedBy: 'ada', logged: 'one' };
    await archive.log.settle({ witnesses: [{ ...witness, entry: { ...entry, witness: undefined } }], settled: [] });
    const place = { id: 'two', resource: 'featureflags', namespace: 'team-a', uid: 'f', revision: 9, generation: 1 };
    const object = JSON.stringify({ metadata: { annotations: { 'vexil.dev/changed-by': 'ada' } } });
    const { createdByUserId: _, ...program } = said;
    await archive.log.add(
      [{ ...place, ...times, ...program, username: 'ada', impersonatedBy: null, object }],
      completedAt,
    );
    expect(await keysOf(archive, { author: 'ada' })).toEqual(['by-kubectl']);

    await forgetAll(forgetting, await forgetting.begin(ADA, NEW));
    await forgetting.end(NEW, () => anEntry('the-act', { createdBy: 'root' }));
    expect(await forgetting.cleanFile()).toBe(true);
    const [after] = await streamed(archive);
    expect(after).toMatchObject({ createdBy: NEW, ip: null, witness: { impersonatedBy: NEW, ip: null } });
    expect(await keysOf(archive, { author: NEW })).toEqual(['by-kubectl']);
    expect(await keysOf(archive, { createdBy: [7] })).toEqual([]);
    expect((await everythingIn(url)).match(/.{20}(?:192\.0\.2\.7|\bada\b).{20}/gis)).toBeNull();
  });

  test('an interrupted forgetting goes on with its pseudonym and all names', async () => {
    await record(archive, [...users, ...recorded()]);
    const person = await forgetting.begin(ADA, NEW);
    await forgetting.step(person, { part: 'entries', from: '', isDryRun: false, at: 0 });
    const rest = (await changed()).length;
    expect(rest).toBeGreaterThan(0);
    const again = await forgetting.begin({ user: 'Ada', emails: ['x@example.com'] }, 'forgotten-other');
    expect(again.pseudonym).toBe(NEW);
    expect(again.words).toEqual(expect.arrayContaining([...person.words, 'x@example.com']));
    await forgetAll(forgetting, again);
    await forgetting.end(NEW, ({ entries }) => anEntry('the-act', { data: { entries } }));
    const [act] = (await streamed(archive)).filter(({ key }) => key === 'the-act');
    expect(act?.data).toEqual({ entries: (ENTRIES / 5) * 4 + users.length });
    expect((await forgetting.begin(ADA, 'forgotten-other')).pseudonym).toBe('forgotten-other');
  });

  test('two ends of one forgetting have one entry', async () => {
    const { pseudonym } = await forgetting.begin(ADA, NEW);
    await Promise.all(['one', 'two'].map((key) => forgetting.end(pseudonym, () => anEntry(key))));
    expect(await streamed(archive)).toHaveLength(1);
  });

  test('past versions are replaced, and the one that the cluster has stays', async () => {
    const spec = (who: string) => ({
      description: `for ${who}`,
      project: 'ada',
      environments: { ada: { enabled: true } },
    });
    const version = (uid: string, who: string, at: number) => ({
      ...{ uid, resource: 'featureflags', object: aFlag(uid, spec(who)).object, generation: 1, isDeleted: false },
      ...{ earliestAt: at, fromAt: at, several: false },
    });
    const versions = [
      version('one', 'ada', 1_000),
      version('one', NEW, 2_000),
      version('one', 'ada', 3_000),
      version('gone', 'ada', 1_000),
    ];
    await archive.commit(aBatch({ states: [aFlag('one', spec('ada'))], versions, completeSince: 500 }));
    await linkAll();
    const person = await forgetting.begin(ADA, NEW);
    expect(await forgetAll(forgetting, person)).toMatchObject({ versions: 2 });
    expect(await faultsOfChain()).toMatchObject({ findings: [], waiting: 0 });

    const at = async (time: number) => {
      const { objects } = await archive.versionsAt({ at: time, resources: [], flags: { of: 'all' } });
      return Object.fromEntries(objects.map(({ uid, after }) => [uid, after.content?.spec]));
    };
    expect(await at(1_500)).toEqual({ one: spec(NEW), gone: spec(NEW) });
    expect(await at(3_500)).toEqual({ one: spec('ada'), gone: spec(NEW) });
    const state = (await archive.states(['one'])).get('one');
    expect(JSON.parse(state?.object ?? '')).toMatchObject({
      metadata: {
        annotations: { 'vexil.dev/created-by': NEW, 'vexil.dev/changed-by': NEW, 'vexil.dev/changed-from': '' },
      },
      spec: spec('ada'),
      status: { changedBy: NEW },
    });
  });

  // Each statement of the tests below is also one of those above.
  if (name !== 'sqlite') return;

  test('a dry run counts and changes nothing', async () => {
    await record(archive, [...users, ...recorded()]);
    const before = await streamed(archive);
    const names = await forgetting.namesOf(ADA);
    const found = await forgetAll(forgetting, { ...ADA, ...names, pseudonym: NEW }, true);
    expect(found.entries).toBe((ENTRIES / 5) * 4 + users.length);
    expect(await streamed(archive)).toEqual(before);
  });
});
