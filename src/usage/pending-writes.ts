/** Writes batches one after the other, and keeps those that the database has not accepted. */

import type { Connected } from '../audit/archive/reconnect.ts';
import { inChunks } from '../audit/archive/sql.ts';
import { isRefusal } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import type { Presence } from './applications.ts';
import { type Counter, countedEvaluations, countedKeys } from './counters.ts';
import { type CounterBatch, writeCounters, writePresence } from './write-batch.ts';

interface TakenUsage {
  readonly counters: readonly Counter[];
  readonly presence: Presence;
}

interface PendingWritesParts {
  readonly database: Pick<Connected, 'write'>;
  readonly writer: string;
  readonly clock: Clock;
  readonly now: () => number;
  /** Returns what is in memory, and removes it there. */
  readonly take: () => TakenUsage;
  readonly observe: {
    readonly flushed: (seconds: number) => void;
    readonly dropped: (evaluations: number) => void;
    readonly failed: (action: 'flush', error: unknown) => void;
  };
}

type Write = { readonly presence: Presence } | { readonly batch: CounterBatch };

/** Limits the length of a transaction: with SQLite, the history waits for it. */
const COUNTERS_PER_TRANSACTION = 2_000;

interface PendingWrites {
  /** Runs one flush at a time: a call during a flush waits for it, then writes what has arrived since. */
  flush(): Promise<void>;
  /** The number of keys in the counters that the database has not accepted. */
  keys(): number;
}

export function createPendingWrites(parts: PendingWritesParts): PendingWrites {
  const { database, writer, clock, now, take, observe } = parts;
  const queue: Write[] = [];
  let number = 0;
  let running: Promise<void> = Promise.resolve();

  function enqueue({ counters, presence }: TakenUsage): void {
    if (presence.sdks.length > 0 || presence.names.length > 0) queue.push({ presence });
    for (const some of inChunks(counters, COUNTERS_PER_TRANSACTION)) {
      number += 1;
      queue.push({ batch: { writer, number, at: now(), counters: some } });
    }
  }

  async function write(one: Write): Promise<void> {
    try {
      if ('presence' in one) await database.write((db) => writePresence(db, one.presence));
      else await database.write((db, kind) => writeCounters(db, kind, one.batch));
    } catch (error) {
      if (isRefusal(error, 'unavailable')) throw error;
      // The batch would fail forever, and all later ones with it.
      observe.failed('flush', error);
      if ('batch' in one) observe.dropped(countedEvaluations(one.batch.counters));
    }
  }

  async function drain(): Promise<void> {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      await write(next);
      queue.shift();
    }
  }

  async function writeAll(): Promise<void> {
    const startedAt = clock.now();
    await drain();
    enqueue(take());
    await drain();
    observe.flushed((clock.now() - startedAt) / 1000);
  }

  return {
    flush() {
      running = running.catch(() => undefined).then(writeAll);
      return running;
    },
    keys: () => queue.reduce((sum, one) => sum + ('batch' in one ? countedKeys(one.batch.counters) : 0), 0),
  };
}
