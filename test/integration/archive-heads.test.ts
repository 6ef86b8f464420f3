/** Signed heads of the chain, in both databases. */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Archive } from '../../src/audit/archive/archive.ts';
import { amend } from '../../src/audit/archive/chain/amend.ts';
import { archiveIn, openDatabase } from '../../src/audit/archive/open-archive.ts';
import type { Connected } from '../../src/audit/archive/reconnect.ts';
import { createHeadSigner } from '../../src/audit/record/head-signer.ts';
import type { HistoryNotice } from '../../src/audit/record/notice.ts';
import { type ChainPlace, linkAfter } from '../../src/domain/history/chain.ts';
import { idOfPublicKey, type SignedHead, signHead } from '../../src/domain/history/signed-head.ts';
import {
  type ChainLine,
  type ChainVerdict,
  createChainVerifier,
  type LinkLine,
} from '../../src/domain/history/verify-chain.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { databases } from '../support/archive/databases.ts';
import { record } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';
import { type FakeClock, fakeClock } from '../support/fake-clock.ts';

const HOUR_MS = 3_600_000;
const [first, second] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const byId = (...keys: readonly KeyObject[]) => new Map(keys.map((key) => [idOfPublicKey(key), key]));

/** A statement, the problem that it leads to, and the number of the link. */
const alterations = [
  ["update heads set signature = 'AAAA' where n = 3", 'signature-wrong', 3],
  ['update heads set at = 1 where n = 3', 'signature-wrong', 3],
  ['update heads set n = 2 where n = 3', 'signature-wrong', 2],
  ["update links set link = 'x' where n = 3", 'head-not-reached', 3],
] as const;

describe.each(Object.entries(databases))('heads in %s', (name, start) => {
  let database: RunningDatabase;
  let url: string;
  let connected: Connected;
  let archive: Archive;

  beforeAll(async () => {
    database = await start();
  });
  beforeEach(async () => {
    url = await database.freshArchive();
    connected = openDatabase(url, { notice: () => {} });
    archive = archiveIn(connected);
    return () => archive.close();
  });
  afterAll(() => database?.stop());

  async function recordSome(from: number, count = 3): Promise<void> {
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    await record(
      archive,
      numbers.map((index) => anEntry(`k${index}`, { createdAt: index * 1_000 })),
    );
    while ((await archive.link()).links > 0);
  }
  async function signNow(key = first.privateKey): Promise<SignedHead> {
    const { last } = await archive.heads.state(undefined);
    const head = signHead(last, 1_000_000, key);
    await archive.heads.store(head);
    return head;
  }
  async function linesOf(one = archive): Promise<readonly ChainLine[]> {
    const lines: ChainLine[] = [];
    for await (const line of one.chain(new AbortController().signal)) lines.push(JSON.parse(JSON.stringify(line)));
    return lines;
  }
  async function verify(publicKeys = byId(first.publicKey), heads: readonly ChainPlace[] = [], one = archive) {
    const verifier = createChainVerifier({ publicKeys, heads });
    for (const line of await linesOf(one)) verifier.accept(line);
    return verifier.end();
  }
  /** As an administrator of the database can: alters a row, and computes all later links anew. */
  async function forge(from: number): Promise<void> {
    const links = (await linesOf()).filter((line): line is LinkLine => line.line === 'link');
    let last: ChainPlace = links.find(({ n }) => n === from - 1) ?? { n: 0, link: '0'.repeat(64) };
    for (const line of links.filter(({ n }) => n >= from)) {
      const digest = line.n === from ? 'f'.repeat(64) : line.digest;
      const link = linkAfter(last, { ...line, digest });
      await database.execute(url, `update links set digest = '${digest}', link = '${link}' where n = ${line.n}`);
      last = { n: line.n, link };
    }
    await database.execute(url, `update chain set link = '${last.link}'`);
  }
  const problems = ({ findings }: { findings: readonly { problem: string; n: number | undefined }[] }) =>
    findings.map(({ problem, n }) => [problem, n]);

  test('signed heads of the chain verify, with the key of each', async () => {
    await recordSome(1);
    await signNow();
    await recordSome(4);
    await signNow(second.privateKey);
    await recordSome(7, 1);
    const verdict = await verify(byId(first.publicKey, second.publicKey));
    expect(verdict).toMatchObject({ found: 0, signedHeads: 2, signed: { n: 6, key: idOfPublicKey(second.publicKey) } });
    expect(verdict.last?.n).toBe(7);
    expect(problems(await verify())).toEqual([['key-unknown', 6]]);
    expect(await verify(new Map())).toMatchObject({ found: 0, signedHeads: 0 });
  });

  test('heads verify after retention and erasure, and older ones are counted', async () => {
    await recordSome(1, 2);
    await signNow();
    await recordSome(3, 2);
    await signNow();
    await connected.write((db, kind) => amend(db, kind, { entries: [3], versions: [], reason: 'erasure', at: 1 }));
    await signNow();
    const ids = (await archive.unpublished(10)).map(({ id }) => id);
    await archive.settle(ids, 'published');
    expect(await verify()).toMatchObject({ found: 0, signedHeads: 3, olderHeads: 0 });
    // The first statement deletes the rows, the second one their links.
    await archive.linkRetention({ before: 4_500, at: 9_000 });
    await archive.prune(4_500, 100);
    await archive.linkRetention({ before: 4_600, at: 9_000 });
    const after = await verify(byId(first.publicKey), [{ n: 1, link: 'a'.repeat(64) }]);
    expect(after).toMatchObject({ findings: [{ problem: 'not-signed' }], olderHeads: 1 });
    await signNow();
    expect(await verify()).toMatchObject({ found: 0, signedHeads: 1 });
    const page = await archive.heads.list({ after: 0, limit: 10 }, new AbortController().signal);
    expect(page).toHaveLength(1);
  });

  describe('the leader', () => {
    function signer(published: SignedHead[]) {
      const clock = fakeClock();
      const end = new AbortController();
      const notices: HistoryNotice[] = [];
      const world = { key: first.privateKey, refuses: false };
      const made = createHeadSigner({
        ...{ heads: archive.heads, intervalMs: HOUR_MS, clock, now: () => 10 * HOUR_MS + clock.now() },
        readKey: async () => world.key,
        async publish(head) {
          if (world.refuses) throw new Error('no Events');
          published.push(head);
        },
        onNotice: (notice) => notices.push(notice),
      });
      const running = made.run(end.signal);
      const stop = (): Promise<void> => {
        end.abort();
        return running;
      };
      return { clock, notices, world, signer: made, stop };
    }
    const settled = async (check: () => boolean) => {
      await expect.poll(check).toBe(true);
    };

    /** A look reads the database, so it may take longer than an advance of the clock. */
    const advanceUntil = async (clock: FakeClock, check: () => boolean) => {
      const look = async () => {
        await clock.advance(30_000);
        return check();
      };
      await expect.poll(look, { interval: 1 }).toBe(true);
    };

    test('signs what has moved, once in an interval, with the key of the moment', async () => {
      await recordSome(1);
      const published: SignedHead[] = [];
      const { clock, notices, world, stop } = signer(published);
      await settled(() => published.length === 1);
      await recordSome(4);
      world.key = second.privateKey;
      await advanceUntil(clock, () => published.length === 2);
      expect((published[1]?.at ?? 0) - (published[0]?.at ?? 0)).toBeGreaterThanOrEqual(HOUR_MS);
      await stop();
      expect(published.map(({ n, key }) => [n, key])).toEqual([
        [3, idOfPublicKey(first.publicKey)],
        [6, idOfPublicKey(createPublicKey(second.privateKey))],
      ]);
      expect(notices.map(({ type }) => type)).toEqual(['head-signed', 'head-signed']);
      expect(await archive.heads.unpublished(10)).toEqual([]);
      expect(await verify(byId(first.publicKey, second.publicKey))).toMatchObject({ found: 0, signedHeads: 2 });
    });

    if (name !== 'sqlite') return;

    test('publishes what an earlier leader has left, and says for how long it cannot', async () => {
      await recordSome(1);
      const published: SignedHead[] = [];
      const failing = signer(published);
      failing.world.refuses = true;
      await settled(() => failing.notices.length > 1);
      await failing.clock.advance(10_000);
      expect(failing.signer.overdueMs).toBe(10_000);
      expect(failing.notices.at(-1)).toMatchObject({ type: 'signing-failed', isFirst: true });
      await failing.stop();
      const next = signer(published);
      await settled(() => published.length === 1);
      expect([next.signer.overdueMs, next.signer.signed?.n]).toEqual([0, 3]);
      await next.stop();
    });

    test('does not vouch for a chain that was computed anew while it runs', async () => {
      await recordSome(1);
      const published: SignedHead[] = [];
      const { clock, notices, stop } = signer(published);
      await settled(() => published.length === 1);
      await forge(2);
      await database.execute(url, 'delete from heads');
      await advanceUntil(clock, () => notices.some(({ type }) => type === 'signing-failed'));
      expect(notices.at(-1)).toMatchObject({
        error: { message: expect.stringContaining('no longer has the signed head 3:') },
      });
      await stop();
      expect(await archive.heads.state(undefined)).toMatchObject({ signed: undefined });
    });
  });

  // Each statement of the tests below is also one of those above.
  if (name !== 'sqlite') return;

  test('names each alteration', async () => {
    await recordSome(1);
    await signNow();
    await recordSome(4);
    await signNow();
    for (const [statement, problem, n] of alterations) {
      let verdict: ChainVerdict | undefined;
      const undone = connected.write(async (db, kind) => {
        await sql.raw(statement).execute(db);
        verdict = await verify(undefined, [], archiveIn({ ...connected, search: (_, work) => work(db, kind) }));
        throw new Error('it is undone');
      });
      await expect(undone).rejects.toThrow('it is undone');
      expect(problems(verdict ?? { findings: [] }), statement).toContainEqual([problem, n]);
    }
    expect(await verify()).toMatchObject({ found: 0 });
  });

  test('a chain that was computed anew is not that of its heads', async () => {
    await recordSome(1, 6);
    const head = await signNow();
    await forge(2);
    const named = await verify();
    expect(problems(named)).toEqual([
      ['altered', 2],
      ['head-not-reached', 6],
      ['not-signed', undefined],
    ]);
    expect(named.findings[1]?.message).toContain(`key ${head.key} has signed`);
    await database.execute(url, 'delete from heads');
    expect(problems(await verify())).toContainEqual(['not-signed', undefined]);
    expect(problems(await verify(new Map(), [head]))).toContainEqual(['head-not-reached', 6]);
  });

  test('an end that was cut off with its place is found by a head beyond it', async () => {
    await recordSome(1, 6);
    await signNow();
    const fourth = (await linesOf()).find((line) => line.line === 'link' && line.n === 4) as LinkLine;
    await database.execute(url, 'delete from links where n > 4');
    await database.execute(url, 'delete from entries where id > 4');
    await database.execute(url, `update chain set n = 4, link = '${fourth.link}'`);
    expect(problems(await verify())).toContainEqual(['head-not-reached', 6]);
  });
});
