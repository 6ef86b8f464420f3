/** The PostgreSQL that the test files of a run share, each with databases of its own. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { execPath } from 'node:process';
import { Client } from 'pg';
import type { RunningDatabase } from './running-database.ts';

const PROGRAM = resolve(import.meta.dirname, 'postgres-program.ts');

export interface SharedPostgres {
  /** The URL of an archive without entries, to which nobody may connect. */
  readonly template: string;
  stop(): Promise<void>;
}

/** A process of its own: the package that starts PostgreSQL decides how the process ends that imports it. */
export async function startSharedPostgres(): Promise<SharedPostgres> {
  const program = spawn(execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(program, 'exit');
  const [line] = await Promise.race([once(program.stdout, 'data'), ended]);
  if (!Buffer.isBuffer(line)) throw new Error('PostgreSQL does not start');
  return {
    template: line.toString().trim(),
    async stop() {
      program.stdin.end();
      await ended;
    },
  };
}

/** Databases of one server, until they are stopped. */
export function databasesLike(template: string): RunningDatabase {
  const names: string[] = [];
  async function execute(url: string, statement: string): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }
  async function create(parts: string): Promise<string> {
    const name = `archive_${randomBytes(6).toString('hex')}`;
    await execute(at(template, 'postgres'), `create database ${name} ${parts} strategy file_copy`);
    names.push(name);
    return at(template, name);
  }
  return {
    freshUrl: () => create(''),
    freshArchive: () => create(`template ${new URL(template).pathname.slice(1)}`),
    execute,
    async stop() {
      for (const name of names) await execute(at(template, 'postgres'), `drop database ${name} with (force)`);
    },
  };
}

function at(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}
