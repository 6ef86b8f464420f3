/** The versions in the archive: which was in force when, and what is kept of them, in both databases. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Archive, NewVersion } from '../../src/audit/archive/archive.ts';
import { openArchive } from '../../src/audit/archive/open-archive.ts';
import type { WantedFlags } from '../../src/audit/archive/versions/versions.ts';
import { catchUpVersions } from '../../src/audit/record/catch-up-versions.ts';
import { databases } from '../support/archive/databases.ts';
import { aBatch, SCOPE } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';

const notice = (sentence: string) => {
  throw new Error(sentence);
};
const FLAGS = 'featureflags';

interface Said {
  readonly name?: string;
  readonly spec?: object;
  readonly generation?: number;
}

const snapshot = ({ name = 'f', spec = {} }: Said = {}) =>
  JSON.stringify({ metadata: { namespace: 'shop', name, creationTimestamp: '2026-01-01T00:00:00Z' }, spec });

function version(
  said: Said,
  [earliestAt, fromAt]: readonly [number, number],
  more: Partial<NewVersion> = {},
): NewVersion {
  const { name = 'f', generation = 1 } = said;
  const facts = { uid: `uid-${name}`, resource: FLAGS, object: snapshot(said), generation, isDeleted: false };
  return { ...facts, earliestAt, fromAt, several: false, ...more };
}

const gone = (name: string, at: number) => version({ name }, [at, at], { isDeleted: true });
const description = (text: string) => ({ description: text });

describe.each(Object.entries(databases))('versions in %s', (name, start) => {
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

  async function keep(...versions: readonly NewVersion[]): Promise<void> {
    const [cursor] = await archive.cursors();
    await archive.commit(aBatch({ after: cursor?.revision, versions, ...(!cursor && { completeSince: 50 }) }));
  }

  async function at(time: number, flags: WantedFlags = { of: 'all' }) {
    const { objects } = await archive.versionsAt({ at: time, resources: [], flags });
    return Object.fromEntries(
      objects.map(({ name, before, after, span }) => {
        const said = [before, after].map((one) => (one?.content?.spec as Said['spec'] | undefined) ?? null);
        return [name, span ? { between: said, ...span } : said[1]];
      }),
    );
  }

  async function expectContents(count: number): Promise<void> {
    await database.execute(url, `create table counted (n integer check (n = ${count}))`);
    await database.execute(url, 'insert into counted select count(*) from contents');
  }

  test('each time has the version that was in force, and an uncertain one has both', async () => {
    const spec = { name: 'Größe', '\ud83d\udc4d': '\u0000' };
    await keep(version({ spec: description('first') }, [100, 100]), version({ spec }, [200, 300]));
    await keep(gone('f', 400));
    expect(await at(99)).toEqual({});
    expect(await at(100)).toEqual({ f: description('first') });
    expect(await at(199)).toEqual({ f: description('first') });
    const span = { from: 200, until: 300, several: false };
    for (const time of [200, 299])
      expect(await at(time)).toEqual({ f: { between: [description('first'), spec], ...span } });
    expect(await at(300)).toEqual({ f: spec });
    expect(await at(400)).toEqual({});
  });

  test('flags are found by project and by name, with those that have parents', async () => {
    const named = (name: string, spec: object) => version({ name, spec }, [100, 100]);
    const child = { project: 'p', dependencies: [{ feature: 'a' }] };
    await keep(named('a', { project: 'p' }), named('b', { name: 'Bee' }), named('c', child), named('d', {}));
    const names = async (flags: WantedFlags) => Object.keys(await at(100, flags));
    expect(await names({ of: 'all' })).toEqual(['a', 'b', 'c', 'd']);
    expect(await names({ of: 'projects', projects: ['p'] })).toEqual(['a', 'c']);
    expect(await names({ of: 'projects', projects: ['default'] })).toEqual(['b', 'd']);
    expect(await names({ of: 'names', names: ['Bee'] })).toEqual(['b', 'c']);
  });

  test('the same content is stored once', async () => {
    for (let time = 100; time < 200; time += 10) {
      await keep(version({ spec: { on: time % 20 === 0 } }, [time, time]));
    }
    await expectContents(2);
    expect([await at(150), await at(160)]).toEqual([{ f: { on: false } }, { f: { on: true } }]);
  });

  test('retention keeps the version in force at its edge, and deletes nothing that is in use', async () => {
    const on = { on: true };
    await keep(
      ...[100, 200, 300].map((time) => version({ spec: on }, [time, time], { generation: time })),
      ...[version({ name: 'old' }, [100, 100]), gone('old', 200), version({ name: 'young' }, [320, 320])],
    );
    let deleted = 0;
    for (let count = -1; count !== 0; deleted += count) count = await archive.pruneVersions(250, 1);
    expect(deleted).toBe(3);
    await expectContents(2);
    expect(await archive.versionScopes()).toMatchObject([{ since: 250 }]);
    expect(await at(250)).toEqual({ f: on });
    expect(await at(310)).toEqual({ f: on });
    expect(await at(320)).toEqual({ f: on, young: {} });
  });

  test('an archive of an earlier operator has its last states as the baseline', async () => {
    const state = (name: string, spec: object) => {
      const facts = { uid: `uid-${name}`, key: `shop/${name}`, scope: SCOPE, version: '7', changedAt: 0 };
      return { ...facts, fingerprint: '[3,null,false]', object: snapshot({ name, spec }) };
    };
    const catchUp = async () => {
      const [cursor] = await archive.cursors();
      if (!cursor) throw new Error('there is no cursor');
      const progress: number[] = [];
      const place = { resource: FLAGS, namespace: undefined };
      const next = await catchUpVersions({ archive, place, cursor, onProgress: (count) => progress.push(count) });
      expect(await archive.cursors()).toEqual([next]);
      return progress.at(-1);
    };

    await archive.commit(aBatch({ states: [state('a', { on: 1 }), state('b', {})] }));
    expect(await archive.versionScopes()).toEqual([]);
    expect(await catchUp()).toBe(2);
    expect(await archive.versionScopes()).toMatchObject([{ since: 5_000, until: 5_000 }]);
    expect(await at(5_000)).toEqual({ a: { on: 1 }, b: {} });
    expect(await catchUp()).toBeUndefined();

    // After a rollback, the earlier operator moves the cursor and stores no versions.
    await database.execute(
      url,
      "update cursors set revision = revision + 1, moved_at = 9000 where scope = 'featureflags/'",
    );
    await database.execute(url, "delete from states where uid = 'uid-b'");
    await database.execute(
      url,
      `update states set object = '${snapshot({ name: 'a', spec: { on: 2 } })}' where uid = 'uid-a'`,
    );
    expect(await catchUp()).toBe(2);
    const span = { from: 5_000, until: 9_000, several: true };
    expect(await at(7_000)).toEqual({
      a: { between: [{ on: 1 }, { on: 2 }], ...span },
      b: { between: [{}, null], ...span },
    });
    expect(await at(9_000)).toEqual({ a: { on: 2 } });
    expect(await archive.versionScopes()).toMatchObject([{ since: 5_000, until: 9_000 }]);
  });

  // Each statement of the tests below is also one of those above.
  if (name !== 'sqlite') return;

  test('an object may have been created or deleted at an uncertain time', async () => {
    await keep(version({}, [100, 200]), version({}, [300, 400], { isDeleted: true, several: true }));
    expect(await at(150)).toEqual({ f: { between: [null, {}], from: 100, until: 200, several: false } });
    expect(await at(350)).toEqual({ f: { between: [{}, null], from: 300, until: 400, several: true } });
  });

  test('versions whose times overlap are uncertain from the first to the last', async () => {
    const versions = ['a', 'b', 'c'].map((text) => version({ spec: description(text) }, [100, 200]));
    await keep(version({ spec: description('before') }, [10, 10]), ...versions);
    const between = [description('before'), description('c')];
    expect(await at(150)).toEqual({ f: { between, from: 100, until: 200, several: true } });
  });

  test('a version is never in force before the previous one', async () => {
    await keep(version({ spec: description('a') }, [100, 100]));
    await keep(version({ spec: description('b') }, [40, 120]), version({ spec: description('c') }, [30, 130]));
    expect(await at(60)).toEqual({});
    expect(await at(110)).toMatchObject({ f: { between: [description('a'), description('c')], from: 100 } });
  });
});
