/** Watches every kind in order and records its changes in the archive, starting at the archive's cursors. */

import type { NewEntry } from '../../domain/history/entry.ts';
import { isRefusal } from '../../errors.ts';
import { type Replay, runWatch, type WatchNotice, type WatchParts } from '../../kube/cache/watch.ts';
import type { PastParts } from '../../kube/replay/past.ts';
import { createReplay, type Replayed } from '../../kube/replay/replay.ts';
import type { SharedSearch } from '../../kube/replay/shared-search.ts';
import { type Clock, pause } from '../../model/clock.ts';
import type { Kind } from '../../model/kind.ts';
import type { AnyObject, Ref } from '../../model/object.ts';
import type { Archive, Batch, Cursor } from '../archive/archive.ts';
import type { Derivation } from '../derive/derive.ts';
import type { StepParts } from '../derive/steps.ts';
import {
  type BatcherParts,
  type Checkpoint,
  checkpointAt,
  checkpointBefore,
  foldWatchEvents,
  resumptionOf,
} from './batcher.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';
import { catchUpVersions } from './catch-up-versions.ts';
import { createLogReplay } from './log-replay.ts';
import type { HistoryNotice, LogReplayed, Notify } from './notice.ts';
import { wasRestored } from './restore-detection.ts';
import { type Attempts, retryForever } from './retry-forever.ts';
import { type BatchLimits, createWatchBuffer, type Frame, type WatchBuffer } from './watch-buffer.ts';

/** One kind in one namespace; undefined: in all namespaces. */
export interface WatchedScope {
  readonly kind: Kind<unknown, unknown>;
  readonly namespace: string | undefined;
  /** The objects in the cache of this replica. */
  readonly present: () => Iterable<AnyObject>;
  readonly live: (ref: Ref, signal: AbortSignal) => Promise<AnyObject>;
}

export interface RecorderParts extends StepParts, Derivation, Pick<WatchParts, 'transport' | 'random'> {
  readonly archive: Archive;
  /** Known writes, which replays need not examine. */
  readonly shared: SharedSearch;
  readonly places: readonly WatchedScope[];
  readonly clock: Clock;
  readonly backoff: (failures: number) => number;
  /** How long changes are collected for one transaction: each transaction waits for the disk. */
  readonly batchDelayMs: number;
  /** Ms since 1970. */
  readonly now: () => number;
  /** Fills an empty archive from the Events of the cluster. */
  readonly restore: (signal: AbortSignal) => Promise<void>;
  /** Called after entries were stored. */
  readonly onEntries: () => void;
  readonly onNotice: Notify;
  /** Undefined: there is no audit log of the API server. */
  readonly logCaughtUp: ((signal: AbortSignal) => Promise<void>) | undefined;
}

export interface Recorder {
  /** Records until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Number of watch events that are not in the archive yet. */
  readonly waiting: number;
  /** When the oldest of them arrived, in ms since 1970. */
  readonly oldest: number | undefined;
  /** All changes up to this time are in the archive, in ms since 1970; undefined: not all kinds are recorded now. */
  readonly recordedUntil: number | undefined;
}

/** The stored cursor may be this much behind if nothing changes; a restart reads that part again. */
const MAX_CURSOR_LAG_MS = 10_000;

/** The limits of one transaction: nothing else works while it is made. */
const MAX_BATCH: BatchLimits = { frames: 100, size: 1024 * 1024 };

export function createRecorder(parts: RecorderParts): Recorder {
  const buffers = new Set<WatchBuffer>();
  const recordedUntil = new Map<string, number>();
  const oldest = () => Math.min(...[...buffers].map((watchBuffer) => watchBuffer.oldest ?? Number.POSITIVE_INFINITY));
  return {
    async run(signal) {
      while (!signal.aborted) {
        await untilOvertaken({ ...parts, buffers, recordedUntil, signal });
        recordedUntil.clear();
        await pause(parts.clock, parts.backoff(0), signal);
      }
    },
    get waiting() {
      return [...buffers].reduce((sum, { length }) => sum + length, 0);
    },
    get oldest() {
      return Number.isFinite(oldest()) ? oldest() : undefined;
    },
    get recordedUntil() {
      return recordedUntil.size < parts.places.length ? undefined : Math.min(...recordedUntil.values());
    },
  };
}

interface RecorderRound extends RecorderParts {
  readonly buffers: Set<WatchBuffer>;
  /** By scope, in ms since 1970. */
  readonly recordedUntil: Map<string, number>;
  readonly budget: ByteBudget;
  readonly signal: AbortSignal;
  /** Ends the round: all watches start again. */
  readonly fail: (error: unknown) => void;
}

/** Ends when the signal aborts or a cursor was moved by another replica; the caller then starts a new round. */
async function untilOvertaken(parts: Omit<RecorderRound, 'fail' | 'budget'>): Promise<void> {
  const end = new AbortController();
  const failures: unknown[] = [];
  const fail = (error: unknown): void => {
    if (parts.signal.aborted || end.signal.aborted) return;
    failures.push(error);
    end.abort(error);
  };
  const signal = AbortSignal.any([parts.signal, end.signal]);
  const round: RecorderRound = { ...parts, fail, signal, budget: createByteBudget(signal) };
  try {
    // The cluster may have been restored since the last round, while no watch was open.
    await round.shared.forgetUnconfirmed(signal);
    const cursors = await readCursors(round);
    await Promise.all(round.places.map((place) => follow(round, place, cursors)));
  } catch (error) {
    fail(error);
  }
  for (const failure of failures) {
    if (!isRefusal(failure, 'conflict')) throw failure;
    round.onNotice({ type: 'overtaken' });
  }
}

/** Reads the cursors; fills an empty archive from the Events of the cluster. */
async function readCursors(round: RecorderRound): Promise<ReadonlyMap<string, Cursor>> {
  const cursors = await retryForever(round, attemptsOf(round), () => round.archive.cursors());
  if (cursors.length === 0) await retryForever(round, attemptsOf(round), () => round.restore(round.signal));
  return new Map(cursors.map((cursor) => [cursor.scope, cursor]));
}

/** Watches and records concurrently; the buffer between them slows down the watch. */
async function follow(round: RecorderRound, place: WatchedScope, cursors: ReadonlyMap<string, Cursor>): Promise<void> {
  const { kind, namespace } = place;
  const {
    transport,
    random,
    clock,
    backoff,
    signal,
    now,
    buffers,
    fail,
    archive,
    derive,
    deriveBare,
    people,
    onNotice,
    budget,
    shared,
  } = round;
  const scope = `${kind.plural}/${namespace ?? ''}`;
  const checkpoint = await checkpointOf(round, place, await withVersions(round, place, cursors.get(scope)));
  const from = resumptionOf(checkpoint);
  const watchBuffer = createWatchBuffer({ now, signal, budget });
  buffers.add(watchBuffer);
  const onReplayed = (replayed: Replayed): void => onNotice({ type: 'replayed', scope, ...replayed });
  const past = { scope, transport, kind, namespace };
  const replay = withLog(round, past, createReplay({ ...past, shared, onReplayed }));
  const watch = { transport, random, clock, backoff, signal, kind, namespace, sink: watchBuffer.sink, replay };
  const batcher = { kind, scope, archive, derive, deriveBare, people, onNotice };
  await Promise.all([
    runWatch({ ...watch, ...(from !== undefined && { from }), observe: observeFailures(round, scope) }),
    record(round, { batcher, watchBuffer, checkpoint }).catch(fail),
  ]);
  buffers.delete(watchBuffer);
}

function withLog(
  { archive, logCaughtUp, onNotice }: RecorderRound,
  past: Omit<PastParts, 'signal'>,
  etcd: Replay,
): Replay {
  if (logCaughtUp === undefined) return etcd;
  const onReplayed = (replayed: LogReplayed) => onNotice({ type: 'log-replayed', scope: past.scope, ...replayed });
  return createLogReplay({ ...past, archive, etcd, caughtUp: logCaughtUp, onReplayed });
}

async function withVersions(
  round: RecorderRound,
  { kind, namespace }: WatchedScope,
  cursor: Cursor | undefined,
): Promise<Cursor | undefined> {
  if (cursor === undefined || resumptionOf(checkpointAt(cursor)) === undefined) return cursor;
  const { archive, onNotice } = round;
  const onProgress = (versions: number) => onNotice({ type: 'versions-made', scope: cursor.scope, versions });
  const place = { resource: kind.plural, namespace };
  return retryForever(round, attemptsOf(round), () => catchUpVersions({ archive, place, cursor, onProgress }));
}

async function checkpointOf(
  round: RecorderRound,
  { present, live }: WatchedScope,
  cursor: Cursor | undefined,
): Promise<Checkpoint> {
  if (cursor === undefined || resumptionOf(checkpointAt(cursor)) === undefined) return checkpointAt(cursor);
  const { scope, version } = cursor;
  const known = await retryForever(round, attemptsOf(round), () => round.archive.knownIn(scope));
  const evidence = { present: present(), known, version, live: (ref: Ref) => live(ref, round.signal) };
  return (await wasRestored(evidence)) ? checkpointBefore(cursor) : checkpointAt(cursor);
}

interface Recording {
  readonly batcher: BatcherParts;
  readonly watchBuffer: WatchBuffer;
  readonly checkpoint: Checkpoint;
}

async function record(round: RecorderRound, { batcher, watchBuffer, checkpoint }: Recording): Promise<void> {
  let now = checkpoint;
  let storedAt = checkpoint.seenAt;
  for (;;) {
    round.recordedUntil.set(batcher.scope, now.seenAt);
    const frames = await gather(round, watchBuffer);
    if (frames.length === 0) return;
    const attempts = attemptsOf(round);
    const { batch, checkpoint: next } = await retryForever(round, attempts, () =>
      foldWatchEvents(batcher, now, frames),
    );
    const notices = noticesOf(batcher.scope, now, next);
    // Late frames do not advance `at`, so the lag limit never stores the end of a replay.
    const hasLateBookmark = frames.some(({ reports, isLate }) => reports === 'progressed' && isLate);
    // The end of a list must be stored, because the watch can resume from there.
    const mustStore = !isEmpty(batch) || now.listing !== undefined || hasLateBookmark || notices.length > 0;
    if (!mustStore && batch.at - storedAt < MAX_CURSOR_LAG_MS) {
      now = { ...next, revision: now.revision };
    } else {
      await retryForever(round, attempts, () => round.archive.commit(batch));
      now = next;
      storedAt = batch.at;
    }
    watchBuffer.drop(frames.length);
    for (const notice of notices) round.onNotice(notice);
    if (batch.entries.length > 0) eventsOf(round, batch.entries);
  }
}

function noticesOf(scope: string, now: Checkpoint, next: Checkpoint): readonly HistoryNotice[] {
  const gap = { type: 'gap', scope, since: now.listing?.since ?? now.seenAt } as const;
  return [
    ...(next.era > now.era ? [{ type: 'cluster-restored', scope } as const] : []),
    ...(next.gaps > now.gaps ? [gap] : []),
  ];
}

/** Collects the frames of one transaction; none after the signal has aborted. */
async function gather(
  { clock, batchDelayMs, signal }: RecorderRound,
  watchBuffer: WatchBuffer,
): Promise<readonly Frame[]> {
  await watchBuffer.next(MAX_BATCH);
  if (!watchBuffer.isFull(MAX_BATCH)) await pause(clock, batchDelayMs, signal);
  return signal.aborted ? [] : watchBuffer.next(MAX_BATCH);
}

/** True for most batches, because most writes are the operator's own status updates. */
function isEmpty({ entries, states, gone, after }: Batch): boolean {
  return entries.length === 0 && states.length === 0 && gone.length === 0 && after !== undefined;
}

function eventsOf({ onNotice, onEntries }: RecorderRound, entries: readonly NewEntry[]): void {
  onNotice({ type: 'recorded', entries });
  onEntries();
}

function attemptsOf({ onNotice }: RecorderRound): Attempts {
  return {
    isTemporary: (error) => !isRefusal(error, 'conflict'),
    onFailure: (error) => onNotice({ type: 'archive-failed', error }),
    onRecovery: () => onNotice({ type: 'archive-recovered' }),
  };
}

function observeFailures({ onNotice }: RecorderRound, scope: string) {
  return (notice: WatchNotice): void => {
    if (notice.type === 'failed') onNotice({ type: 'watch-failed', scope, error: notice.error });
  };
}
