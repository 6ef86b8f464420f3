/** The databases that an archive can be in, each for as long as a test file runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startPostgres } from './postgres.ts';
import type { RunningDatabase } from './running-database.ts';

async function startSqlite(): Promise<RunningDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-archive-'));
  let count = 0;
  return {
    async freshUrl() {
      count += 1;
      return `sqlite:${join(folder, `${count}.db`)}`;
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
  postgres: () => startPostgres(),
};
