/** The databases that are measured, each in a temporary folder. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startPostgres } from '../../support/archive/postgres.ts';

export interface Place {
  readonly url: string;
  bytes(): Promise<number>;
  /** Before many entries come, and before they are searched. */
  fill(): Promise<void>;
  settle(): Promise<void>;
  /** Keeps every other connection from writing. Returns how to end that; absent: not measured. */
  lock?(): () => void;
  clear(): Promise<void>;
}

async function sqlitePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-bench-'));
  return {
    url: `sqlite:${join(folder, 'history.db')}`,
    async bytes() {
      const sizes = (await readdir(folder)).map(async (file) => (await stat(join(folder, file))).size);
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    },
    fill: async () => {},
    settle: async () => {},
    lock() {
      const database = new DatabaseSync(join(folder, 'history.db'));
      database.exec('begin immediate');
      return () => database.close();
    },
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

/** As it is installed, but for a cache of a quarter of a gigabyte. */
async function postgresPlace(): Promise<Place> {
  const server = await startPostgres(['-c', 'shared_buffers=256MB', '-c', 'max_wal_size=4GB']);
  const url = await server.freshUrl();
  return {
    url,
    async bytes() {
      const [row] = await server.query(url, 'select pg_database_size(current_database())::text as bytes');
      return Number(row?.['bytes']);
    },
    // The archive makes the index when it is opened next; to make it of everything at once is many times faster.
    async fill() {
      await server.query(url, 'drop index texts_by_trigram');
    },
    // What autovacuum does in time.
    async settle() {
      await server.query(url, 'vacuum analyze');
    },
    clear: () => server.stop(),
  };
}

export const places: Readonly<Record<string, () => Promise<Place>>> = { sqlite: sqlitePlace, postgres: postgresPlace };
