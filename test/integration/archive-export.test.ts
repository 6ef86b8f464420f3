/** The export of the history as segments into a folder, from both databases, and its verification without Vexil. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifySegments } from '../../cli/verify/segments.ts';
import type { Archive } from '../../src/audit/archive/archive.ts';
import { amend, holdChain } from '../../src/audit/archive/chain/amend.ts';
import { archiveIn, openDatabase } from '../../src/audit/archive/open-archive.ts';
import type { Connected } from '../../src/audit/archive/reconnect.ts';
import { createExporter, type SegmentTarget } from '../../src/audit/export/exporter.ts';
import { folderTarget } from '../../src/audit/export/folder-target.ts';
import type { HistoryNotice } from '../../src/audit/record/notice.ts';
import { type ChainPlace, linkAfter } from '../../src/domain/history/chain.ts';
import { segmentNameIn, segmentOf } from '../../src/domain/history/segment.ts';
import { idOfPublicKey, signHead } from '../../src/domain/history/signed-head.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { databases } from '../support/archive/databases.ts';
import { record } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';
import { fakeClock } from '../support/fake-clock.ts';

const HOUR_MS = 3_600_000;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const publicKeys = new Map([[idOfPublicKey(publicKey), publicKey]]);
const LIMITS = { links: 4, characters: 100_000 };
/** The names and the first numbers of findings. */
const problemsIn = async (folder: string, heads: readonly ChainPlace[] = []) =>
  (await verifySegments(folder, { publicKeys: new Map(), heads })).findings.map(({ problem, n }) => [problem, n]);

describe.each(Object.entries(databases))('the export from %s', (name, start) => {
  let database: RunningDatabase;
  let connected: Connected;
  let archive: Archive;
  let folder: string;

  beforeAll(async () => {
    database = await start();
  });
  beforeEach(async () => {
    connected = openDatabase(await database.freshArchive(), { notice: () => {} });
    archive = archiveIn(connected);
    folder = await mkdtemp(join(tmpdir(), 'vexil-segments-'));
    return async () => {
      await archive.close();
      await rm(folder, { recursive: true });
    };
  });
  afterAll(() => database?.stop());

  async function recordSome(from: number, count: number): Promise<void> {
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    await record(
      archive,
      numbers.map((index) => anEntry(`k${index}`, { createdAt: index * 1_000, createdBy: `user-${index}` })),
    );
    while ((await archive.link()).links > 0);
  }
  async function signNow(): Promise<void> {
    const { last } = await archive.heads.state(undefined);
    await archive.heads.store(signHead(last, 1_000_000, privateKey));
  }
  /** Runs an exporter until it has looked once; `hours` is what its clock says. */
  async function exportNow(hours: number, target: SegmentTarget = folderTarget(folder)) {
    const clock = fakeClock();
    const end = new AbortController();
    const notices: HistoryNotice[] = [];
    const exporter = createExporter({
      ...{ exports: archive.exports, name: 'file:///there', target, intervalMs: HOUR_MS, limits: LIMITS },
      ...{ clock, now: () => hours * HOUR_MS },
      onNotice: (notice) => notices.push(notice),
    });
    const running = exporter.run(end.signal);
    await expect.poll(() => clock.pending).toBe(1);
    const { waitingLinks, overdueMs } = exporter;
    end.abort();
    await running;
    return { notices, waitingLinks, overdueMs };
  }
  const segments = async () => (await readdir(folder)).toSorted();
  const ranges = async () => (await segments()).map((name) => [segmentNameIn(name)?.from, segmentNameIn(name)?.to]);

  test('writes what was recorded as segments that verify without Vexil', async () => {
    await recordSome(1, 10);
    await signNow();
    await exportNow(10);
    expect(await ranges()).toEqual([
      [1, 4],
      [5, 8],
    ]);
    await exportNow(10.5);
    expect(await ranges()).toHaveLength(2);
    await exportNow(11);
    expect(await ranges()).toContainEqual([9, 10]);
    await exportNow(13);
    expect(await ranges()).toHaveLength(3);
    const verdict = await verifySegments(folder, { publicKeys, heads: [] });
    expect(verdict).toMatchObject({ found: 0, segments: 3, links: 10, signedHeads: 1, signed: { n: 10 } });
    const { last } = await archive.heads.state(undefined);
    expect(await problemsIn(folder, [last])).toEqual([]);
    expect(await problemsIn(folder, [{ ...last, n: 11 }])).toEqual([['head-not-reached', 11]]);
  });

  test('says what was rewritten on purpose, and still verifies', async () => {
    await recordSome(1, 4);
    await exportNow(10);
    await connected.write(async (db, kind) => {
      await holdChain(db, kind);
      await db.updateTable('entries').set({ created_by: 'forgotten-1' }).where('id', '=', 2).execute();
      await amend(db, kind, { entries: [2], versions: [], reason: 'erasure', at: 5_000 });
    });
    await recordSome(5, 2);
    await exportNow(12);
    const texts = await Promise.all((await segments()).map((name) => readFile(join(folder, name), 'utf8')));
    expect(texts[0]).toContain('user-2');
    expect(texts[1]).toContain('erasure');
    expect(texts[1]).not.toContain('user-2');
    expect(await problemsIn(folder)).toEqual([]);
  });

  test('goes on with the same segment after a failure, on another replica', async () => {
    await recordSome(1, 3);
    const written: string[] = [];
    const lost: SegmentTarget = {
      async put({ name }) {
        written.push(name);
        throw new Error('the answer got lost');
      },
    };
    const failed = await exportNow(10, lost);
    expect(failed).toMatchObject({ waitingLinks: 3, notices: [{ type: 'export-failed', isFirst: true }] });
    await recordSome(4, 2);
    await exportNow(10);
    expect(await segments()).toEqual(written);
    // Nothing is written twice, and nothing that is there is replaced.
    await writeFile(join(folder, written[0] ?? ''), 'x');
    const target = folderTarget(folder);
    const again = segmentOf({ after: { n: 0, link: '' }, to: 3, previous: null, lines: [] });
    await expect(target.put({ ...again, name: written[0] ?? '' }, new AbortController().signal)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is no segment of this history'),
    });
    expect(await readFile(join(folder, written[0] ?? ''), 'utf8')).toBe('x');
  });

  test('two replicas write one sequence', async () => {
    await recordSome(1, 9);
    await Promise.all([exportNow(10), exportNow(10), exportNow(10)]);
    await exportNow(12);
    expect(await ranges()).toEqual([
      [1, 4],
      [5, 8],
      [9, 9],
    ]);
    expect(await problemsIn(folder)).toEqual([]);
  });

  test('counts what retention has deleted before it was exported', async () => {
    await recordSome(1, 6);
    const ids = (await archive.unpublished(10)).map(({ id }) => id);
    await archive.settle(ids, 'published');
    await archive.linkRetention({ before: 2_500, at: 9_000 });
    await archive.prune(2_500, 100);
    const { notices } = await exportNow(10);
    expect(notices).toMatchObject([{ type: 'exported', lost: 2 }]);
    await exportNow(12);
    expect(await problemsIn(folder)).toEqual([]);
    // Now links are dropped, too.
    await recordSome(7, 2);
    await archive.settle(
      (await archive.unpublished(10)).map(({ id }) => id),
      'published',
    );
    for (const before of [8_500, 8_600]) {
      await archive.linkRetention({ before, at: 9_500 });
      await archive.prune(8_500, 100);
    }
    await recordSome(9, 1);
    await archive.linkRetention({ before: 8_700, at: 9_600 });
    const later = await exportNow(14);
    expect(later.notices[0]).toMatchObject({ type: 'exported', lost: 4 });
    expect((await problemsIn(folder))[0]).toEqual(['segment-missing', 8]);
  });

  // The tests below read files.
  if (name !== 'sqlite') return;

  describe('names', () => {
    beforeEach(async () => {
      await recordSome(1, 12);
      await exportNow(10);
      expect(await ranges()).toHaveLength(3);
    });
    async function change(index: number, edit: (text: string) => string): Promise<string> {
      const path = join(folder, (await segments())[index] ?? '');
      await writeFile(path, edit(await readFile(path, 'utf8')));
      return path;
    }

    test('an altered entry and its segment', async () => {
      await change(1, (text) => text.replace('user-6', 'mallory'));
      expect(await problemsIn(folder)).toEqual([
        ['segment-altered', 5],
        ['altered', 6],
      ]);
    });

    test('an altered entry in a segment that got the name of its content', async () => {
      const path = await change(1, (text) => text.replace('user-6', 'mallory'));
      const [header = '', ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n');
      const { link, previous } = JSON.parse(header);
      const forged = segmentOf({ after: { n: 4, link }, to: 8, previous, lines });
      await rename(path, join(folder, forged.name));
      await writeFile(join(folder, forged.name), forged.text);
      expect(await problemsIn(folder)).toEqual([
        ['segment-inserted', 9],
        ['altered', 6],
      ]);
    });

    test('a missing segment in the middle, at the beginning and at the end', async () => {
      const [first = '', second = '', third = ''] = await segments();
      const { last } = await archive.heads.state(undefined);
      await rename(join(folder, second), join(folder, 'elsewhere'));
      expect(await problemsIn(folder)).toEqual([
        ['segment-missing', 5],
        ['link-missing', 5],
      ]);
      await rename(join(folder, 'elsewhere'), join(folder, second));
      await rename(join(folder, first), join(folder, 'elsewhere'));
      expect(await problemsIn(folder)).toEqual([['segment-missing', undefined]]);
      await rename(join(folder, 'elsewhere'), join(folder, first));
      await rm(join(folder, third));
      expect(await problemsIn(folder, [last])).toEqual([['head-not-reached', 12]]);
    });

    test('a missing and an inserted line', async () => {
      await change(1, (text) => text.split('\n').toSpliced(2, 1).join('\n'));
      await change(2, (text) => `${text}${JSON.stringify({ line: 'link', n: 13, link: 'x' })}\nnonsense\n`);
      expect(await problemsIn(folder)).toEqual([
        ['segment-altered', 5],
        ['segment-altered', 9],
        ['segment-altered', 13],
        ['link-missing', 6],
      ]);
    });

    test('an inserted segment', async () => {
      const inserted = segmentOf({ after: { n: 4, link: 'a'.repeat(64) }, to: 6, previous: null, lines: [] });
      await writeFile(join(folder, inserted.name), inserted.text);
      expect(await problemsIn(folder)).toEqual([
        ['segment-inserted', 5],
        ['segment-inserted', 5],
      ]);
    });

    test('a chain that was computed anew, by a head', async () => {
      const { last } = await archive.heads.state(undefined);
      const [, , third = ''] = await segments();
      const [header = '', ...lines] = (await readFile(join(folder, third), 'utf8')).trimEnd().split('\n');
      const { link, previous } = JSON.parse(header);
      let place: ChainPlace = { n: 8, link };
      const anew = lines.map((text) => {
        const line = { ...JSON.parse(text), at: 1, row: null };
        place = { n: line.n, link: linkAfter(place, line) };
        return JSON.stringify({ ...line, link: place.link });
      });
      const forged = segmentOf({ after: { n: 8, link }, to: 12, previous, lines: anew });
      await rm(join(folder, third));
      await writeFile(join(folder, forged.name), forged.text);
      expect(await problemsIn(folder, [last])).toContainEqual(['head-not-reached', 12]);
    });
  });

  test('says what is wrong with the folder', async () => {
    await recordSome(1, 1);
    const { notices } = await exportNow(10, folderTarget(join(folder, 'no-such')));
    expect(notices).toMatchObject([
      {
        type: 'export-failed',
        error: { message: expect.stringContaining('VEXIL_HISTORY_EXPORT_URL cannot be written (ENOENT)') },
      },
    ]);
  });
});
