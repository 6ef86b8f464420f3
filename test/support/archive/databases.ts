/** The databases that an archive can be in, each for as long as a test file runs. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inject } from 'vitest';
import { makeTables } from './gather.ts';
import type { RunningDatabase } from './running-database.ts';
import { databasesLike } from './shared-postgres.ts';

async function startSqlite(): Promise<RunningDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-archive-'));
  const template = join(folder, 'template.db');
  await makeTables(`sqlite:${template}`);
  let count = 0;
  const freshPath = () => {
    count += 1;
    return join(folder, `${count}.db`);
  };
  return {
    async freshUrl() {
      return `sqlite:${freshPath()}`;
    },
    async freshArchive() {
      const path = freshPath();
      await copyFile(template, path);
      return `sqlite:${path}`;
    },
    async execute(url, statement) {
      const database = new DatabaseSync(url.slice('sqlite:'.length));
      database.exec(statement);
      database.close();
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}

export const databases: Readonly<Record<string, () => Promise<RunningDatabase>>> = {
  sqlite: startSqlite,
  postgres: async () => databasesLike(inject('archiveTemplate')),
};
