/** Opens a database at its first use, and again when the connection becomes unusable. */
import { Refusal } from '../../errors.ts';
import type { ArchiveSize } from './archive.ts';
import { asRefusal, type FailureJudge } from './failures.ts';
import type { Lanes } from './lanes.ts';
import type { Script } from './statement.ts';
import type { DatabaseKind, Db } from './tables.ts';

/** An open database with its tables. */
export interface Opened {
  readonly kind: DatabaseKind;
  /** Serves recording and publishing. */
  readonly db: Db;
  /** Runs a script; returns how many rows each step wrote. */
  run(script: Script): Promise<readonly number[]>;
  readonly searches: Lanes;
  size(): Promise<ArchiveSize>;
  close(): Promise<void>;
}

export interface Connectable {
  readonly failures: FailureJudge;
  open(): Promise<Opened>;
  /** The database was recreated: nothing was written, and the call can be repeated. Absent: that cannot happen. */
  isReplaced?(error: unknown): boolean;
}

export interface Connected {
  /** Rejects with Refusals only. */
  read<T>(work: (db: Db, kind: DatabaseKind) => Promise<T>): Promise<T>;
  /**
   * Runs a search within its limits; long work is restarted in the long lane. Rejects also with Refusal `busy`, and
   * with the reason of the signal, which aborts when the client disconnects.
   */
  search<T>(caller: AbortSignal, work: (db: Db, kind: DatabaseKind) => Promise<T>): Promise<T>;
  size(): Promise<ArchiveSize>;
  /** Runs in one transaction. */
  write<T>(work: (db: Db, kind: DatabaseKind) => Promise<T>): Promise<T>;
  /** Runs a script in one transaction; returns how many rows each step wrote. */
  run(script: (kind: DatabaseKind) => Script): Promise<readonly number[]>;
  close(): Promise<void>;
}

export function keepConnected({ failures, open, isReplaced }: Connectable): Connected {
  let current: Promise<Opened> | undefined;
  let isClosed = false;

  async function connect(): Promise<Opened> {
    if (isClosed) throw new Refusal('unavailable', `${failures.label} is closed`);
    const opening = current ?? open();
    current = opening;
    try {
      return await opening;
    } catch (error) {
      if (current === opening) current = undefined;
      throw error;
    }
  }

  async function drop(opened: Opened): Promise<void> {
    const opening = current;
    // A later failure of the same connection must not drop the one that was opened meanwhile.
    if ((await opening?.catch(() => undefined)) === opened && current === opening) current = undefined;
    await opened.close().catch(() => undefined);
  }

  async function attempt<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    const opened = await connect();
    try {
      return await work(opened);
    } catch (error) {
      if (failures.judge(error).reopen) await drop(opened);
      throw error;
    }
  }

  async function use<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    try {
      return await attempt(work).catch((error) => {
        if (isReplaced?.(error) !== true) throw error;
        return attempt(work);
      });
    } catch (error) {
      throw asRefusal(failures, error);
    }
  }

  return {
    read: (work) => use(({ db, kind }) => work(db, kind)),
    async search(caller, work) {
      try {
        return await use(({ searches, kind }) => searches.run(caller, (db) => work(db, kind)));
      } catch (error) {
        caller.throwIfAborted();
        throw error;
      }
    },
    size: () => use((opened) => opened.size()),
    write: (work) => use(({ db, kind }) => db.transaction().execute((transaction) => work(transaction, kind))),
    run: (script) => use((opened) => opened.run(script(opened.kind))),
    async close() {
      isClosed = true;
      const opened = await current?.catch(() => undefined);
      current = undefined;
      await opened?.close();
    },
  };
}
