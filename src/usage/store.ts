/** Stores what SDKs report: counted in memory, written to the database at intervals, read from there. */
import type { Connected } from '../audit/archive/reconnect.ts';
import type { Db } from '../audit/archive/tables.ts';
import { isRefusal, Refusal } from '../errors.ts';
import { type Clock, pause } from '../model/clock.ts';
import { createApplications, type ReportedName, type ReportedSdk } from './applications.ts';
import { type Count, createCounters } from './counters.ts';
import { createPendingWrites } from './pending-writes.ts';
import { pruneUsage, type UsageRetention } from './prune-usage.ts';
import {
  deleteApplication,
  readApplication,
  readApplications,
  readAppNames,
  readInstances,
  readSdkVersions,
  readUnknownFlags,
} from './read-applications.ts';
import { readCounts, readLastHour, readLastSeen, readRecent, readSightings, readSummaries } from './read-flags.ts';
import { createRecent } from './recent.ts';
import type { UsageReader } from './usage.ts';

export interface ObserveUsage {
  readonly flushed: (seconds: number) => void;
  /** Evaluations that were counted and then lost. */
  readonly dropped: (evaluations: number) => void;
  readonly failed: (action: 'flush' | 'refresh' | 'prune', error: unknown) => void;
}

export interface UsageParts {
  readonly database: Pick<Connected, 'read' | 'search' | 'write'>;
  readonly retention: UsageRetention;
  readonly flushMs: number;
  /** Identifies this process among those that share the database. */
  readonly writer: string;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly random: () => number;
  readonly observe: ObserveUsage;
}

export interface Usage extends UsageReader {
  /** Counts in memory, at once. */
  count(count: Count): void;
  addSdk(sdk: ReportedSdk): void;
  addName(name: ReportedName): void;
  /** Writes the counts in memory. Rejects and keeps them if the database cannot be reached. */
  flush(): Promise<void>;
  /** Reads into memory what other replicas have written. */
  refresh(): Promise<void>;
  /** Flushes and refreshes concurrently until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  prune(): Promise<void>;
  /** The number of counters in memory, with their variants. */
  readonly keys: () => number;
}

const MAX_KEYS = 50_000;
const MAX_KEYS_PER_HOUR = 50_000;
/** The number of flush intervals after which the counts of other replicas are read. */
export const FLUSHES_PER_REFRESH = 6;
/** The minimum pause, as a share of the flush interval: a slow database is not written to without a pause. */
const MIN_PAUSE_SHARE = 0.1;
/** The maximum difference between the clocks of replicas, and delay of the end of a transaction. */
const REFRESH_OVERLAP_MS = 120_000;

/** Reads share their limits with searches of the history. */
function tooMany(): Refusal {
  const message = 'Too many reads of usage run at the moment. Try again in a few seconds.';
  return new Refusal('busy', message, { retryAfterSeconds: 5 });
}

const neverAborted = new AbortController().signal;

export function createUsage(parts: UsageParts): Usage {
  const { database, retention, clock, now, observe } = parts;
  const counters = createCounters({ maxKeys: MAX_KEYS, maxKeysPerHour: MAX_KEYS_PER_HOUR, onDropped: observe.dropped });
  const applications = createApplications();
  const recent = createRecent();
  const pending = createPendingWrites({
    ...parts,
    take: () => ({ counters: counters.take(), presence: applications.take() }),
  });
  let awaySince: number | undefined;
  let refreshedAt = 0;

  async function noticing<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      awaySince = undefined;
      return result;
    } catch (error) {
      if (isRefusal(error, 'unavailable')) awaySince ??= now();
      throw isRefusal(error, 'busy') ? tooMany() : error;
    }
  }

  const read = <T>(work: (db: Db) => Promise<T>): Promise<T> => noticing(database.search(neverAborted, work));

  async function refresh(): Promise<void> {
    const at = now();
    const seen = await read((db) => readLastSeen(db, refreshedAt - REFRESH_OVERLAP_MS));
    for (const place of seen.toReversed()) recent.see(place);
    recent.setHour(await read((db) => readRecent(db, at)));
    applications.setKnown(await read(readAppNames));
    refreshedAt = at;
  }

  const flush = () => noticing(pending.flush());

  /** Starts the work again this many ms after its last start, or soon after its end if it takes longer. */
  async function repeat(action: 'flush' | 'refresh', everyMs: () => number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAt = clock.now();
      await (action === 'flush' ? flush() : refresh()).catch((error: unknown) => observe.failed(action, error));
      const restMs = everyMs() - (clock.now() - startedAt);
      await pause(clock, Math.max(restMs, MIN_PAUSE_SHARE * parts.flushMs), signal);
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    // A process that is killed loses what has arrived since the start of the last finished flush.
    const flushMs = () => parts.flushMs * (0.6 + 0.2 * parts.random());
    const refreshMs = () => FLUSHES_PER_REFRESH * parts.flushMs * (0.8 + 0.2 * parts.random());
    await Promise.all([repeat('flush', flushMs, signal), repeat('refresh', refreshMs, signal)]);
  }

  return {
    awaySince: () => awaySince,
    ...{ lastSeen: recent.lastSeen, lastEdges: recent.lastEdges, lastHour: recent.lastHour },
    lastHourOf: (flagUid) => read((db) => readLastHour(db, flagUid, now())),
    countsOf: (flagUid, query) => read((db) => readCounts(db, flagUid, query)),
    applicationsOf: (flagUids, since) => read((db) => readSightings(db, flagUids, since)),
    summaryOf: (flagUids, since) => read((db) => readSummaries(db, flagUids, since)),
    applications: (query) => read((db) => readApplications(db, query, now())),
    application: (appName) => read((db) => readApplication(db, appName, now())),
    instances: (appName, environment) => read((db) => readInstances(db, { appName, environment }, now())),
    sdkVersions: () => read((db) => readSdkVersions(db, now())),
    unknownFlags: () => read((db) => readUnknownFlags(db, now())),
    // Otherwise, counts in memory would restore the application.
    forget: (appName) => flush().then(() => noticing(database.write((db) => deleteApplication(db, appName)))),

    count(count) {
      const { flagUid: uid, environment, arrivedAt: lastAt, via } = count;
      counters.add({ ...count, appName: applications.nameFor(count.appName) });
      recent.see({ uid, environment, lastAt, via });
    },
    addSdk: (sdk) => applications.addSdk({ ...sdk, appName: applications.nameFor(sdk.appName) }, now()),
    addName: (name) => applications.addName({ ...name, appName: applications.nameFor(name.appName) }, now()),
    flush,
    refresh,
    run,
    prune: () => noticing(pruneUsage(database, retention, now())),
    keys: () => counters.size + pending.keys(),
  };
}
