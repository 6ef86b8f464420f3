/** An archive with long texts that are slow to search, as earlier versions kept the content of entries whole. */
import { openArchive } from '../../../src/audit/archive/open-archive.ts';
import { anEntry } from './an-entry.ts';
import { record } from './gather.ts';
import type { RunningDatabase } from './running-database.ts';

/**
 * The text differs from the stored texts in the middle, so that neither its first nor its last characters exclude a
 * match.
 */
export const COSTLY = `${'a'.repeat(499)}b${'a'.repeat(500)}`;

const CHARACTERS = 1_000_000;
const repeated: Readonly<Record<string, string>> = {
  sqlite: `replace(hex(zeroblob(${CHARACTERS / 2})), '0', 'a')`,
  postgres: `repeat('a', ${CHARACTERS})`,
};

/** Fills an archive with `entries` of the project `long`, each with a text of a million characters. Returns its URL. */
export async function archiveOfLongTexts(database: RunningDatabase, kind: string, entries: number): Promise<string> {
  const url = await database.freshUrl();
  const archive = openArchive(url, { notice: () => undefined });
  await record(
    archive,
    Array.from({ length: entries }, (_, index) => anEntry(`long-${index}`, { project: 'long', createdAt: 1 })),
  );
  await archive.close();
  // Making the index of their trigrams would take a minute, and these searches do not use it.
  if (kind === 'postgres') {
    await database.execute(url, 'drop index texts_by_trigram; create index texts_by_trigram on texts (id)');
  }
  await database.execute(url, `update texts set folded = ${repeated[kind]}`);
  return url;
}
