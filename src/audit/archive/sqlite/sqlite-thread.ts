/** Client of the thread with a SQLite connection. */
import { Worker } from 'node:worker_threads';
import { Refusal } from '../../../errors.ts';
import {
  EVERY_CALL,
  type SqliteAnswer,
  type SqliteFailure,
  type SqliteResult,
  type SqliteSettings,
  type SqliteStart,
  type SqliteWork,
} from './sqlite-messages.ts';

/** A failure of SQLite or of its thread. */
export class SqliteError extends Error {
  readonly errcode: number;
  /** The connection is closed for good. */
  readonly isOver: boolean;

  constructor({ message, errcode }: SqliteFailure, isOver = false) {
    super(message);
    this.name = 'SqliteError';
    this.errcode = errcode;
    this.isOver = isOver;
  }
}

export function connectionClosed(): SqliteError {
  return closedFor('its connection is closed');
}

function closedFor(message: string): SqliteError {
  return new SqliteError({ message, errcode: 0 }, true);
}

export interface SqliteThread {
  /**
   * Rejects with the reason of the signal once the signal has aborted and the statement has ended; a statement that
   * searches texts ends at the next text. Only one call at a time may have a signal.
   */
  execute(work: SqliteWork, signal?: AbortSignal): Promise<SqliteResult>;
  /** Cancels text searches, waits for the other calls, then ends the thread. */
  close(): Promise<void>;
}

/** The worker's file is next to this one, both in the sources and in the bundle. */
const program = new URL(`./sqlite-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

interface Waiting {
  resolve(result: SqliteResult): void;
  reject(error: SqliteError | Refusal): void;
}

export function errorOf(failure: SqliteFailure): SqliteError | Refusal {
  return failure.isConflict ? new Refusal('conflict', failure.message) : new SqliteError(failure);
}

export function startSqliteThread(settings: SqliteSettings): SqliteThread {
  const cancelled = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const cancel = (id: number) => Atomics.store(new Int32Array(cancelled), 0, id);
  const start: SqliteStart = { ...settings, cancelled };
  const worker = new Worker(program, { workerData: start, execArgv: [] });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let over: SqliteError | undefined;

  function end(error: SqliteError): void {
    over ??= error;
    for (const { reject } of waiting.values()) reject(over);
    waiting.clear();
  }

  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.on('error', (error) => end(closedFor(`its thread failed: ${error instanceof Error ? error.message : error}`)));
  worker.on('exit', () => end(connectionClosed()));
  worker.on('message', (answer: SqliteAnswer) => {
    const caller = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('result' in answer) caller?.resolve(answer.result);
    else caller?.reject(errorOf(answer.failure));
  });

  function send(id: number, work: SqliteWork): Promise<SqliteResult> {
    return new Promise((resolve, reject) => {
      if (over !== undefined) return reject(over);
      waiting.set(id, { resolve, reject });
      worker.postMessage({ ...work, id });
    });
  }

  async function execute(work: SqliteWork, signal?: AbortSignal): Promise<SqliteResult> {
    signal?.throwIfAborted();
    lastId += 1;
    const id = lastId;
    const cancelThis = () => void (waiting.has(id) && cancel(id));
    signal?.addEventListener('abort', cancelThis, { once: true });
    try {
      return await send(id, work);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      // A combined signal with listeners stays in memory as long as its sources.
      signal?.removeEventListener('abort', cancelThis);
    }
  }

  return {
    execute,
    async close() {
      cancel(EVERY_CALL);
      await execute({ action: 'close' }).catch(() => undefined);
      await exited;
    },
  };
}
