/** Expensive searches: their cost, and the requests that they delay. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Archive } from '../../src/audit/archive/archive.ts';
import { SEARCH_LIMITS, type SearchLimits } from '../../src/audit/archive/lanes.ts';
import { openArchive } from '../../src/audit/archive/open-archive.ts';
import type { EntryFilter } from '../../src/domain/history/entry.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { databases } from '../support/archive/databases.ts';
import { record } from '../support/archive/gather.ts';
import { archiveOfLongTexts, COSTLY } from '../support/archive/long-texts.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

/** Reading all texts takes longer than any of these tests. PostgreSQL takes longer for each text. */
const LONG_TEXTS: Readonly<Record<string, number>> = { sqlite: 600, postgres: 200 };
const FOR_EVER_MS = 10 * 60_000;
const PATIENT: SearchLimits = { ...SEARCH_LIMITS, longMs: FOR_EVER_MS, waitMs: FOR_EVER_MS };
const page = { offset: 0, limit: 10 };
const costly = { text: COSTLY, projects: ['long'] };
const never = new AbortController().signal;

/** On a busy machine a short search may take so long that it then waits for the costly ones. It is sent again. */
function keysInTime(archive: Archive, filter: EntryFilter): Promise<readonly string[]> {
  return waitUntil({ what: 'a search is answered in time' }, async () => {
    const inTime = AbortSignal.timeout(2_000);
    const found = await archive.search(filter, page, inTime).catch((error: unknown) => {
      if (error === inTime.reason) return undefined;
      throw error;
    });
    return found?.entries.map(({ key }) => key);
  });
}

describe.each(Object.entries(databases))('a costly search in %s', (kind, start) => {
  let database: RunningDatabase;
  let url: string;
  const entries = LONG_TEXTS[kind] ?? 0;

  beforeAll(async () => {
    database = await start();
    url = await archiveOfLongTexts(database, kind, entries);
  }, 120_000);
  afterAll(() => database?.stop());

  async function withArchive(limits: SearchLimits, work: (archive: Archive) => Promise<void>): Promise<void> {
    const archive = openArchive(url, { notice: () => undefined, limits });
    try {
      await work(archive);
    } finally {
      await archive.close();
    }
  }

  test('delays neither recording nor other searches, and ends when its caller disconnects', async () => {
    await withArchive(PATIENT, async (archive) => {
      const caller = new AbortController();
      let isOver = false;
      const searches = [1, 2, 3].map(() => archive.search(costly, page, caller.signal));
      const ended = Promise.allSettled(searches).finally(() => {
        isOver = true;
      });
      const key = `meanwhile-${kind}`;
      await record(archive, [anEntry(key, { featureName: key })]);
      expect(await keysInTime(archive, { features: [key], text: 'checkout' })).toEqual([key]);
      expect(await archive.states(['nobody'])).toEqual(new Map());
      expect(isOver).toBe(false);

      caller.abort(new Error('the caller has gone'));
      for (const outcome of await ended) expect(outcome).toMatchObject({ reason: { message: 'the caller has gone' } });
      // The place for long searches is free again: this search takes longer than a short one may.
      expect((await archive.search({ ...costly, from: 2 }, page, never)).total).toBe(0);
    });
  });

  test('ends at its limit, and reports it', async () => {
    await withArchive({ ...SEARCH_LIMITS, shortMs: 20, longMs: 100 }, async (archive) => {
      await expect(archive.search(costly, page, never)).rejects.toMatchObject({
        code: 'busy',
        message: expect.stringContaining('took longer than 0.1 s and was ended'),
      });
      const reading = archive.stream(costly, never)[Symbol.asyncIterator]();
      await expect(reading.next()).rejects.toMatchObject({ code: 'busy' });
      // A busy machine may not answer in time, so the search is repeated.
      await waitUntil({ what: 'a short search is answered' }, () =>
        archive.search({ projects: ['long'] }, page, never).then(
          ({ total }) => total === entries,
          () => false,
        ),
      );
    });
  });

  test('is refused if too many searches wait', async () => {
    await withArchive({ ...PATIENT, shortMs: 300, waiting: 3 }, async (archive) => {
      const caller = new AbortController();
      const refused: unknown[] = [];
      const searches = Array.from({ length: 12 }, () =>
        archive.search(costly, page, caller.signal).catch((error) => refused.push(error)),
      );
      await waitUntil({ what: 'some are refused' }, () => refused.length > 0);
      expect(refused[0]).toMatchObject({ code: 'busy', retryAfterSeconds: 5 });
      await waitUntil({ what: 'a short search has a place' }, () =>
        archive.search({ projects: ['long'] }, page, never).then(
          ({ total }) => total === entries,
          () => false,
        ),
      );
      caller.abort();
      await Promise.all(searches);
    });
  });
});
