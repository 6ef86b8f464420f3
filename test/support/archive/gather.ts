/** Helpers for tests of the archive. */
import type { Archive, Batch } from '../../../src/audit/archive/archive.ts';
import { openArchive } from '../../../src/audit/archive/open-archive.ts';
import type { Entry, EntryFilter, NewEntry } from '../../../src/domain/history/entry.ts';

export const SCOPE = 'featureflags/';

export function aBatch(changes: Partial<Batch> = {}): Batch {
  return {
    scope: SCOPE,
    after: undefined,
    version: '10',
    era: 0,
    at: 5_000,
    states: [],
    gone: [],
    entries: [],
    ...changes,
  };
}

/** Puts entries into an archive in several batches. */
export async function record(archive: Archive, entries: readonly NewEntry[]): Promise<void> {
  const cursor = (await archive.cursors()).find(({ scope }) => scope === SCOPE);
  await archive.commit(aBatch({ after: cursor?.revision, entries }));
}

export async function keysOf(archive: Archive, filter: EntryFilter = {}, offset = 0, limit = 1000): Promise<string[]> {
  const { entries } = await archive.search(filter, { offset, limit });
  return entries.map(({ key }) => key);
}

export async function streamed(archive: Archive, filter: EntryFilter = {}): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of archive.stream(filter, new AbortController().signal)) entries.push(entry);
  return entries;
}

/** Makes the tables of an archive in an empty database. */
export async function makeTables(url: string): Promise<void> {
  const archive = openArchive(url, { notice: () => {} });
  await archive.cursors();
  await archive.close();
}
