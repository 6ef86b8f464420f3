/** The hash chain over the history, in both databases. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Archive, NewVersion } from '../../src/audit/archive/archive.ts';
import { amend, holdChain } from '../../src/audit/archive/chain/amend.ts';
import { archiveIn, openDatabase } from '../../src/audit/archive/open-archive.ts';
import type { Connected } from '../../src/audit/archive/reconnect.ts';
import type { ChainPlace } from '../../src/domain/history/chain.ts';
import { type ChainLine, type ChainVerdict, createChainVerifier } from '../../src/domain/history/verify-chain.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { databases } from '../support/archive/databases.ts';
import { aBatch, SCOPE } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';
import { beforeChain } from '../support/archive/undo-migrations.ts';

const notice = (sentence: string) => {
  throw new Error(sentence);
};

function aVersion(index: number): NewVersion {
  const metadata = { namespace: 'shop', name: 'checkout', creationTimestamp: '2026-01-01T00:00:00Z' };
  return {
    ...{ uid: 'u1', resource: 'featureflags', generation: index, isDeleted: false },
    object: JSON.stringify({ metadata, spec: { description: `version ${index}` } }),
    ...{ earliestAt: index * 1_000, fromAt: index * 1_000, several: false },
  };
}

const alterations = [
  [
    'an entry',
    "update entries set created_by = 'mallory' where id = 2",
    'altered',
    /entry 2 .*feature-updated.*checkout/,
  ],
  ['what an entry says', `update entries set data = '{"name":"x"}' where id = 3`, 'altered', /entry 3 /],
  ['what a version says', "update contents set body = 'AAAA' where id = 1", 'altered', /version 1 .*checkout/],
  ['a version', 'update versions set from_at = 1 where id = 2', 'altered', /version 2 /],
  ['the name of an object', "update tracked set name = 'x'", 'altered', /version 1 /],
  ['a digest', "update links set digest = 'x' where n = 4", 'link-broken', /link 4 /],
  ['a link', "update links set link = 'x' where n = 4", 'link-broken', /link 4 /],
  ['a time', 'update links set at = 0 where n = 2', 'link-broken', /link 2 /],
  ['a deleted entry', 'delete from entries where id = 2', 'missing', /entry 2 of 1970-01-01T00:00:02/],
  ['a deleted version', 'delete from versions where id = 2', 'missing', /version 2 of/],
  ['a deleted link', 'delete from links where n = 3', 'link-missing', /links 3 to 3/],
  [
    'a deleted entry with its link',
    'delete from entries where id = 2; delete from links where n = 2',
    'link-missing',
    /2/,
  ],
  ['a cut end', 'delete from links where n > 4', 'cut-off', /ends at link 4/],
  ['a beginning that no statement drops', 'delete from links where n <= 2', 'link-missing', /links 1 to 2/],
] as const;

describe.each(Object.entries(databases))('the chain in %s', (name, start) => {
  let database: RunningDatabase;
  let url: string;
  let connected: Connected;
  let archive: Archive;

  function open(): void {
    connected = openDatabase(url, { notice });
    archive = archiveIn(connected);
  }
  beforeAll(async () => {
    database = await start();
  });
  beforeEach(async () => {
    url = await database.freshArchive();
    open();
    return () => archive.close();
  });
  afterAll(() => database?.stop());

  async function recordSome(from = 1, count = 3): Promise<void> {
    const [cursor] = await archive.cursors();
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    await archive.commit({
      ...aBatch({ after: cursor?.revision, completeSince: 0 }),
      entries: numbers.map((index) => anEntry(`k${index}`, { createdAt: index * 1_000, createdBy: `user-${index}` })),
      versions: numbers.map(aVersion),
    });
  }
  async function linkAll(): Promise<void> {
    for (;;) if ((await archive.link()).links === 0) return;
  }
  async function linesOf(one = archive): Promise<readonly ChainLine[]> {
    const lines: ChainLine[] = [];
    for await (const line of one.chain(new AbortController().signal)) lines.push(JSON.parse(JSON.stringify(line)));
    return lines;
  }
  async function verify(heads: readonly ChainPlace[] = [], one = archive): Promise<ChainVerdict> {
    const verifier = createChainVerifier({ heads });
    for (const line of await linesOf(one)) verifier.accept(line);
    return verifier.end();
  }

  test('commits each entry and each version once', async () => {
    await recordSome();
    expect(await verify()).toMatchObject({ found: 0, links: 0, waiting: 6 });
    await linkAll();
    await recordSome(4);
    await linkAll();
    expect(await verify()).toMatchObject({ found: 0, links: 12, waiting: 0, last: { n: 12 } });
  });

  test('shows each alteration', async () => {
    await recordSome();
    await linkAll();
    for (const [what, statements, problem, message] of alterations) {
      let verdict: ChainVerdict | undefined;
      const undone = connected.write(async (db, kind) => {
        for (const statement of statements.split('; ')) await sql.raw(statement).execute(db);
        const within = archiveIn({ ...connected, search: (_, work) => work(db, kind) });
        verdict = await verify([], within);
        throw new Error('it is undone');
      });
      await expect(undone).rejects.toThrow('it is undone');
      const finding = expect.objectContaining({ problem, message: expect.stringMatching(message) });
      expect(verdict?.findings, what).toContainEqual(finding);
    }
    expect(await verify()).toMatchObject({ found: 0 });
  });

  test('is one chain if two replicas link at the same time', async () => {
    await recordSome(1, 260);
    const other = archiveIn(openDatabase(url, { notice }));
    const link = (one: Archive) => one.link().catch((error: { code?: string }) => expect(error.code).toBe('conflict'));
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([link(archive), link(other)]);
      await recordSome(1_000 + round, 1);
    }
    await other.close();
    await linkAll();
    expect(await verify()).toMatchObject({ found: 0, links: 526, waiting: 0 });
  });

  test('verifies after retention, from where the chain itself says that it begins', async () => {
    await recordSome(1, 6);
    await linkAll();
    const ids = (await archive.unpublished(10)).map(({ id }) => id);
    await archive.settle(ids, 'published');
    for (const before of [4_000, 4_500, 4_500]) {
      await archive.linkRetention({ before, at: 9_000 });
      await archive.prune(before, 100);
      await archive.pruneVersions(before, 100);
      expect(await verify()).toMatchObject({ found: 0 });
    }
    const lines = await linesOf();
    expect(lines[0]).toMatchObject({ line: 'start', n: 4, before: 4_500 });
    await database.execute(url, 'delete from entries where id = 6');
    expect((await verify()).findings).toMatchObject([{ problem: 'missing' }]);
  });

  test('verifies rows that were amended, and says nothing of what they said', async () => {
    await recordSome();
    await linkAll();
    await recordSome(4, 1);
    const rewrite = (name: string) =>
      connected.write(async (db, kind) => {
        await holdChain(db, kind);
        await db.updateTable('entries').set({ created_by: name }).where('id', 'in', [2, 4]).execute();
        await amend(db, kind, { entries: [2, 4], versions: [1], reason: 'erasure', at: 5_000 });
      });
    await rewrite('forgotten-1');
    expect(await verify()).toMatchObject({ found: 0, amended: 2 });
    await rewrite('forgotten-2');
    await linkAll();
    expect(await verify()).toMatchObject({ found: 0, amended: 2, links: 10 });
    const of2 = (await linesOf()).find((line) => line.line === 'link' && line.kind === 'entry' && line.ref === 2);
    expect(of2).toMatchObject({ salt: null });
    await database.execute(url, "update entries set created_by = 'mallory' where id = 2");
    expect((await verify()).findings).toMatchObject([
      { problem: 'altered', message: expect.stringMatching(/entry 2 /) },
    ]);
  });

  test('links nothing from the former content of a row that is rewritten meanwhile', async () => {
    await recordSome(1, 1);
    let isRewritten = false;
    const slow = archiveIn({
      ...connected,
      read: async (work) => {
        const read = await connected.read(work);
        if (!isRewritten) {
          isRewritten = true;
          await connected.write(async (db, kind) => {
            await db.updateTable('entries').set({ created_by: 'forgotten' }).execute();
            await amend(db, kind, { entries: [1], versions: [], reason: 'erasure', at: 5_000 });
          });
        }
        return read;
      },
    });
    await expect(slow.link()).rejects.toMatchObject({ code: 'conflict' });
    await linkAll();
    expect(await verify()).toMatchObject({ found: 0, links: 3 });
  });

  test('links rows that an earlier version recorded, and those after a rollback', async () => {
    await recordSome();
    await archive.close();
    for (const statement of beforeChain) await database.execute(url, statement);
    open();
    await linkAll();
    // An earlier version writes and prunes without links.
    await recordSome(4);
    await database.execute(url, 'delete from entries where id = 1');
    await linkAll();
    expect((await verify()).findings).toMatchObject([{ problem: 'missing' }]);
    await archive.linkRetention({ before: 1_500, at: 2 });
    expect(await verify()).toMatchObject({ found: 0, links: 12 });
  });

  test('refuses two links for one row', async () => {
    await recordSome(1, 1);
    await linkAll();
    await database.execute(url, `update entries set linked = 0 where created_at >= 0 and '${SCOPE}' <> ''`);
    await expect(archive.link()).rejects.toThrow(/unique|UNIQUE/);
  });

  // Each statement of the tests below is also one of those above.
  if (name !== 'sqlite') return;

  test('shows an inserted entry', async () => {
    await recordSome();
    await linkAll();
    await recordSome(4, 1);
    await database.execute(url, 'update entries set linked = 1 where id = 4');
    expect((await verify()).findings).toMatchObject([
      { problem: 'inserted', message: expect.stringMatching(/entry 4 /) },
    ]);
  });

  test('shows a whole end that was cut off, by a head that is known', async () => {
    await recordSome();
    await linkAll();
    const { last } = await verify();
    const lines = await linesOf();
    const fourth = lines.find((line) => line.line === 'link' && line.n === 4) as ChainPlace;
    await database.execute(url, 'delete from links where n > 4');
    await database.execute(url, 'delete from versions where id > 1');
    await database.execute(url, `update chain set n = 4, link = '${fourth.link}'`);
    expect(await verify()).toMatchObject({ found: 0 });
    expect((await verify(last && [last])).findings).toMatchObject([{ problem: 'head-not-reached', n: 6 }]);
    const forged = { n: 4, link: 'x' };
    expect((await verify([forged])).findings).toMatchObject([{ problem: 'head-not-reached', n: 4 }]);
  });

  test('is read in a time that grows with its length', async () => {
    const grow = async (count: number) => {
      for (let from = 1; from < count; from += 300) await recordSome(from, 300);
      await linkAll();
    };
    const msToRead = async (one: Archive) => {
      const from = performance.now();
      await verify([], one);
      return performance.now() - from;
    };
    await grow(300);
    const short = archive;
    url = await database.freshArchive();
    open();
    await grow(1_200);
    // Four times as many links; 16 times as long if each looked at all others.
    const isFast = async () => {
      const shortMs = await msToRead(short);
      return (await msToRead(archive)) / shortMs < 8;
    };
    // In turns, and the best of some pairs: a busy machine is slow for a part of them.
    let wasFast = false;
    for (let round = 0; round < 5 && !wasFast; round += 1) wasFast = await isFast();
    await short.close();
    expect(wasFast).toBe(true);
  });

  test('rows that retention has deleted are not missing after the retention became longer', async () => {
    await recordSome(1, 6);
    await linkAll();
    await archive.settle(
      (await archive.unpublished(10)).map(({ id }) => id),
      'published',
    );
    await archive.linkRetention({ before: 4_500, at: 9_000 });
    await archive.prune(4_500, 100);
    await archive.linkRetention({ before: 1_500, at: 9_500 });
    expect(await verify()).toMatchObject({ found: 0, gone: 3 });
  });

  test('a statement of retention that was altered is a finding, and retention goes on', async () => {
    await recordSome();
    await linkAll();
    await archive.linkRetention({ before: 1_500, at: 9_000 });
    await database.execute(url, "update links set content = 'x' where kind = 'retention'");
    expect((await verify()).findings).toContainEqual(expect.objectContaining({ problem: 'altered', n: 7 }));
    expect(await archive.linkRetention({ before: 1_500, at: 9_500 })).toBe(true);
  });

  test('a head from before the chain begins says nothing, and another one there is a finding', async () => {
    await recordSome(1, 6);
    await linkAll();
    const heads = (await linesOf()).flatMap((one) => (one.line === 'link' ? [{ n: one.n, link: one.link }] : []));
    await archive.settle(
      (await archive.unpublished(10)).map(({ id }) => id),
      'published',
    );
    for (const at of [9_000, 9_500]) {
      await archive.linkRetention({ before: 4_500, at });
      await archive.prune(4_500, 100);
      await archive.pruneVersions(4_500, 100);
    }
    expect(await verify(heads.slice(0, 4))).toMatchObject({ found: 0, olderHeads: 3 });
    const forged = await verify([{ n: 4, link: 'f'.repeat(64) }]);
    expect(forged.findings).toMatchObject([{ problem: 'head-not-reached', n: 4 }]);
  });

  test('adds no statement of retention if no rows are from the time', async () => {
    await recordSome(1, 2);
    await linkAll();
    expect(await archive.linkRetention({ before: 900, at: 9_000 })).toBe(false);
    expect(await archive.linkRetention({ before: 1_500, at: 9_000 })).toBe(true);
    expect(await archive.linkRetention({ before: 1_900, at: 9_100 })).toBe(false);
    expect(await verify()).toMatchObject({ found: 0, links: 5 });
  });

  test('says that it was changed on purpose while it was read', async () => {
    await recordSome();
    await linkAll();
    const lines: ChainLine[] = [];
    for await (const line of archive.chain(new AbortController().signal)) {
      if (lines.length === 0) {
        await connected.write((db, kind) => amend(db, kind, { entries: [1], versions: [], reason: 'erasure', at: 1 }));
      }
      lines.push(line);
    }
    expect(lines.at(-1)).toMatchObject({ line: 'end', n: 6, moved: true });
    expect((await linesOf()).at(-1)).toMatchObject({ n: 7, moved: false });
  });

  test('shows amendments of rows that they do not commit', async () => {
    await recordSome();
    await linkAll();
    await connected.write((db, kind) => amend(db, kind, { entries: [1], versions: [], reason: 'erasure', at: 1 }));
    await database.execute(url, 'update amendments set ref = 2');
    expect((await verify()).findings[0]).toMatchObject({ problem: 'altered' });
  });
});
