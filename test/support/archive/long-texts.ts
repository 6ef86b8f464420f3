/** An archive with texts that take long to look into, as earlier versions kept the content of entries whole. */
import { openArchive } from '../../../src/audit/archive/open-archive.ts';
import { anEntry } from './an-entry.ts';
import { record } from './gather.ts';
import type { RunningDatabase } from './running-database.ts';

/** Half of it at the end, so that neither the first nor the last characters say that it is not there. */
export const COSTLY = `${'a'.repeat(499)}b${'a'.repeat(500)}`;

const CHARACTERS = 1_000_000;
const repeated: Readonly<Record<string, string>> = {
  sqlite: `replace(hex(zeroblob(${CHARACTERS / 2})), '0', 'a')`,
  postgres: `repeat('a', ${CHARACTERS})`,
};

/** `entries` of the project `long`, each with a text of a million characters; gives the URL. */
export async function archiveOfLongTexts(database: RunningDatabase, kind: string, entries: number): Promise<string> {
  const url = await database.freshUrl();
  const archive = openArchive(url, { notice: () => undefined });
  await record(
    archive,
    Array.from({ length: entries }, (_, index) => anEntry(`long-${index}`, { project: 'long', createdAt: 1 })),
  );
  await archive.close();
  // To make the index of their trigrams would take a minute, and these searches do not use it.
  if (kind === 'postgres') {
    await database.execute(url, 'drop index texts_by_trigram; create index texts_by_trigram on texts (id)');
  }
  await database.execute(url, `update texts set folded = ${repeated[kind]}`);
  return url;
}
