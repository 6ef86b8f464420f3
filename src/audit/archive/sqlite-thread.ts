/** Talks to the thread that has a SQLite connection. */
import { Worker } from 'node:worker_threads';
import type { SqliteAnswer, SqliteFailure, SqliteResult, SqliteSettings, SqliteWork } from './sqlite-messages.ts';

/** A failure that SQLite gave, or that the thread is no more. */
export class SqliteError extends Error {
  readonly errcode: number;
  readonly isReplaced: boolean;
  /** There is no connection behind this any more. */
  readonly isOver: boolean;

  constructor({ message, errcode, isReplaced }: SqliteFailure, isOver = false) {
    super(message);
    this.name = 'SqliteError';
    this.errcode = errcode;
    this.isReplaced = isReplaced;
    this.isOver = isOver;
  }
}

export interface SqliteThread {
  perform(work: SqliteWork): Promise<SqliteResult>;
  /** Ends the thread when it has done what it was told before. */
  close(): Promise<void>;
}

/** Beside this file, from the sources as from the bundle. */
const program = new URL(`./sqlite-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

interface Waiting {
  resolve(result: SqliteResult): void;
  reject(error: SqliteError): void;
}

export function startSqliteThread(settings: SqliteSettings): SqliteThread {
  const worker = new Worker(program, { workerData: settings, execArgv: [] });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let over: SqliteError | undefined;

  function end(message: string): void {
    over ??= new SqliteError({ message, errcode: 0, isReplaced: false }, true);
    for (const { reject } of waiting.values()) reject(over);
    waiting.clear();
  }

  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.on('error', (error) => end(`its thread failed: ${error instanceof Error ? error.message : error}`));
  worker.on('exit', () => end('its connection is closed'));
  worker.on('message', (answer: SqliteAnswer) => {
    const caller = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('result' in answer) caller?.resolve(answer.result);
    else caller?.reject(new SqliteError(answer.failure));
  });

  function perform(work: SqliteWork): Promise<SqliteResult> {
    return new Promise((resolve, reject) => {
      if (over !== undefined) return reject(over);
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      worker.postMessage({ ...work, id: lastId });
    });
  }

  return {
    perform,
    async close() {
      await perform({ action: 'close' }).catch(() => undefined);
      await exited;
    },
  };
}
