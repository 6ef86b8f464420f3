/** Publishes the Events of the entries in the archive, until each Event exists exactly once. */

import pLimit from 'p-limit';
import type { Entry } from '../../domain/history/entry.ts';
import { isClusterError, isRefusal } from '../../errors.ts';
import { type Clock, pause } from '../../model/clock.ts';
import { type CallerWrites, waitForCallers } from '../../runtime/caller-writes.ts';
import type { Archive, PublicationOutcome } from '../archive/archive.ts';
import type { Notify } from '../record/notice.ts';
import { createRest } from '../record/rest.ts';
import { retryForever } from '../record/retry-forever.ts';
import { type EventEntries, shareEvents } from './event-entries.ts';
import { nextConcurrency, START_CONCURRENCY } from './publish-rate.ts';

export interface PublisherParts {
  readonly archive: Pick<Archive, 'unpublished' | 'settle' | 'backlog'>;
  /** Publishing the same entries again has no further effect. */
  readonly publish: (entries: EventEntries, signal: AbortSignal) => Promise<void>;
  /** The writes of callers, which Events give way to. */
  readonly callerWrites: Pick<CallerWrites, 'areMany'>;
  readonly clock: Clock;
  readonly backoff: (failures: number) => number;
  readonly onNotice: Notify;
  /** Ms since 1970. */
  readonly now: () => number;
  /** How long the Event of an entry that names nobody waits for the audit log of the API server; undefined: not. */
  readonly holdMs: number | undefined;
}

export interface Publisher {
  /** Publishes until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Starts a round: there is something to publish. */
  wake(): void;
  /** The number of unpublished Events at the last look. */
  readonly waiting: number;
}

/** A longer Retry-After is not trusted. */
const MAX_RETRY_AFTER_MS = 30_000;
const PAGE_SIZE = 200;
/** An earlier leader may have left unpublished entries. */
const LOOK_EVERY_MS = 30_000;

export function createPublisher(parts: PublisherParts): Publisher {
  let waiting = 0;
  const rest = createRest(parts.clock);
  /** The part that a call is in progress to. */
  let at: 'archive' | 'events' = 'archive';
  /**
   * The id of the last entry that was tried when one failed: that one is tried again after all others. 0: none failed.
   */
  let passed = 0;
  let concurrency = START_CONCURRENCY;
  const giveWay = waitForCallers(parts.callerWrites, parts.clock);

  function readSome(): Promise<readonly Entry[]> {
    const { archive, holdMs, now } = parts;
    return archive.unpublished(PAGE_SIZE, passed, holdMs === undefined ? undefined : now() - holdMs);
  }

  /** Runs one round; returns the number of settled entries. */
  async function publishSome(signal: AbortSignal): Promise<number> {
    rest.begin();
    at = 'archive';
    const isFirst = passed === 0;
    const entries = await readSome();
    const areAll = isFirst && entries.length < PAGE_SIZE;
    waiting = areAll ? entries.length : (await parts.archive.backlog()).count;
    at = 'events';
    const round = await publishAll({ ...parts, giveWay, concurrency }, shareEvents(entries, PAGE_SIZE), signal);
    waiting -= round.settled;
    passed = round.passed;
    const isOverloaded = isClusterError(round.failure, 'unavailable');
    concurrency = nextConcurrency(concurrency, { tookMs: round.tookMs, isOverloaded });
    await pauseAsAsked(parts.clock, round.failure, signal);
    if (round.settled > 0) return round.settled;
    if (round.failure !== undefined) throw round.failure;
    return isFirst ? 0 : publishSome(signal);
  }

  return {
    async run(signal) {
      let failed = at;
      const attempts = {
        isTemporary: () => true,
        onFailure: (error: unknown) => {
          failed = at;
          parts.onNotice({ type: `${failed}-failed`, error });
        },
        onRecovery: () => parts.onNotice({ type: `${failed}-recovered` }),
      };
      while (!signal.aborted) {
        const settled = await retryForever({ ...parts, signal }, attempts, () => publishSome(signal)).catch((error) => {
          if (!signal.aborted) throw error;
          return 0;
        });
        if (settled === 0) await rest.upTo(LOOK_EVERY_MS, signal);
      }
    },
    wake: rest.wake,
    get waiting() {
      return waiting;
    },
  };
}

/** Waits for the Retry-After of the API server. */
async function pauseAsAsked(clock: Clock, failure: unknown, signal: AbortSignal): Promise<void> {
  const seconds = isClusterError(failure) ? failure.retryAfterSeconds : undefined;
  if (seconds !== undefined) await pause(clock, Math.min(1000 * seconds, MAX_RETRY_AFTER_MS), signal);
}

interface PublishedRound {
  readonly settled: number;
  /** The id of the last entry that was tried when one failed; 0: none failed. */
  readonly passed: number;
  /** The error of the first entry that failed. */
  readonly failure: unknown;
  /** Durations of the published Events. */
  readonly tookMs: readonly number[];
}

interface RoundParts extends PublisherParts {
  readonly giveWay: (signal: AbortSignal) => Promise<void>;
  readonly concurrency: number;
}

/** Published entries are settled even if another entry fails; the failure ends the round. */
async function publishAll(
  { archive, publish, onNotice, clock, giveWay, concurrency }: RoundParts,
  shared: readonly EventEntries[],
  signal: AbortSignal,
): Promise<PublishedRound> {
  const limit = pLimit(concurrency);
  const failures: unknown[] = [];
  const tookMs: number[] = [];
  let tried = 0;
  const ended: Readonly<Record<PublicationOutcome, number[]>> = { published: [], refused: [] };
  const publishOne = async (entries: EventEntries): Promise<void> => {
    await giveWay(signal);
    if (failures.length > 0 || signal.aborted) return;
    const ids = entries.map(({ id }) => id);
    tried = Math.max(...ids);
    const startedAt = clock.now();
    try {
      await publish(entries, signal);
      tookMs.push(clock.now() - startedAt);
      ended.published.push(...ids);
    } catch (error) {
      if (!isRefusal(error, 'invalid') && !isClusterError(error, 'invalid', 'too-large')) {
        failures.push(error);
        return;
      }
      ended.refused.push(...ids);
      onNotice({ type: 'event-refused', entry: entries[0], error });
    }
  };
  await Promise.all(shared.map((entries) => limit(publishOne, entries)));
  if (ended.published.length > 0) await archive.settle(ended.published, 'published');
  if (ended.refused.length > 0) await archive.settle(ended.refused, 'refused');
  const settled = ended.published.length + ended.refused.length;
  return { settled, passed: failures.length > 0 ? tried : 0, failure: failures[0], tookMs };
}
