/** The databases that are measured, each in a temporary folder. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startPostgres } from '../../support/archive/postgres.ts';

export interface Place {
  readonly url: string;
  bytes(): Promise<number>;
  /** Runs before many entries are inserted; `settle` runs before they are searched. */
  fill(): Promise<void>;
  settle(): Promise<void>;
  /**
   * Prevents every other connection from writing. Returns a function that ends this. If absent, this is not measured.
   */
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

/** PostgreSQL with its default settings, except a cache of a quarter of a gigabyte. */
async function postgresPlace(): Promise<Place> {
  const server = await startPostgres(['-c', 'shared_buffers=256MB', '-c', 'max_wal_size=4GB']);
  const url = await server.freshUrl();
  return {
    url,
    async bytes() {
      const [row] = await server.query(url, 'select pg_database_size(current_database())::text as bytes');
      return Number(row?.['bytes']);
    },
    // The archive makes the index when it is opened next. Making it for all entries at once is many times faster.
    async fill() {
      await server.query(url, 'drop index texts_by_trigram');
    },
    // Runs what autovacuum runs later.
    async settle() {
      await server.query(url, 'vacuum analyze');
    },
    clear: () => server.stop(),
  };
}

export const places: Readonly<Record<string, () => Promise<Place>>> = { sqlite: sqlitePlace, postgres: postgresPlace };
