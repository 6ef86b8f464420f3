/** A lock between processes that the operating system releases, however its holder ends. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MS = 250;
const SQLITE_BUSY = 5;

export interface LockOptions {
  /** Called once if another process holds the lock. */
  readonly onWait?: () => void;
}

/**
 * Does the work while only this process holds the lock file. The lock is the file lock of SQLite: no process identifier
 * can be misread, and nothing stale remains after a kill.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, { onWait }: LockOptions = {}): Promise<T> {
  const database = new DatabaseSync(path);
  try {
    if (!tryLock(database)) {
      onWait?.();
      do await pause(RETRY_MS);
      while (!tryLock(database));
    }
    return await work();
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
