/** Helpers for tests that forget a person. */
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import {
  archiveParts,
  type ForgettingArchive,
  type Forgotten,
} from '../../../src/audit/archive/forget/forgetting-archive.ts';
import { unpackContent } from '../../../src/audit/archive/versions/content.ts';

export interface ForgottenIn {
  readonly steps: number;
  readonly entries: number;
  readonly versions: number;
}

/** Runs all parts to their ends. */
export async function forgetAll(archive: ForgettingArchive, person: Forgotten, isDryRun = false): Promise<ForgottenIn> {
  const found = { entries: 0, versions: 0 };
  let steps = 0;
  for (const part of archiveParts) {
    for (let from: string | undefined = ''; from !== undefined; ) {
      const result = await archive.step(person, { part, from, isDryRun, at: 0 });
      if (part === 'entries' || part === 'versions') found[part] += result.found;
      steps += 1;
      from = result.next;
    }
  }
  return { steps, ...found };
}

/** Everything that the database holds, as text: the bytes of a file with the terms of its index, or all rows. */
export async function everythingIn(url: string): Promise<string> {
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length);
    return `${readFileSync(path, 'latin1')}${readFileSync(`${path}-wal`, 'latin1')}${termsIn(path)}`;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query("select tablename as name from pg_tables where schemaname = 'public'");
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query(`select t::text as text from "${name}" as t`);
      texts.push(...rows.map(({ text }) => text));
    }
    const { rows: contents } = await client.query('select body from contents');
    texts.push(...contents.map(({ body }) => JSON.stringify(unpackContent(body))));
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/** The trigrams of the index, each between bars. */
function termsIn(path: string): string {
  const database = new DatabaseSync(path);
  try {
    database.exec('create virtual table temp.terms using fts5vocab(main, grams, row)');
    return database
      .prepare('select term from temp.terms')
      .all()
      .map(({ term }) => `|${term}|`)
      .join('');
  } finally {
    database.close();
  }
}
