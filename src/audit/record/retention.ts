/** Prunes entries and versions beyond the retention period, in small batches. */
import { type Clock, pause } from '../../model/clock.ts';
import type { Archive } from '../archive/archive.ts';
import type { Notify } from './notice.ts';

export interface RetentionParts {
  readonly archive: Pick<Archive, 'prune' | 'pruneVersions' | 'linkRetention'>;
  /** Undefined: entries are never pruned. */
  readonly retentionMs: number | undefined;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly onNotice: Notify;
}

const PRUNE_EVERY_MS = 60 * 60 * 1000;
const BATCH_SIZE = 500;
/** Pause between two batches, so that other writers get the archive. */
const BATCH_PAUSE_MS = 100;

export async function keepRetention(parts: RetentionParts, signal: AbortSignal): Promise<void> {
  const { retentionMs, clock, onNotice } = parts;
  if (retentionMs === undefined) return;
  while (!signal.aborted) {
    await pruneAll(parts, parts.now() - retentionMs, signal).catch((error: unknown) => {
      if (!signal.aborted) onNotice({ type: 'pruning-failed', error });
    });
    await pause(clock, PRUNE_EVERY_MS, signal);
  }
}

async function pruneAll(
  { archive, clock, now, onNotice }: RetentionParts,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  const all = async (prune: (before: number, limit: number) => Promise<number>) => {
    let count = 0;
    while (!signal.aborted) {
      const deleted = await prune(before, BATCH_SIZE);
      count += deleted;
      if (deleted < BATCH_SIZE) break;
      await pause(clock, BATCH_PAUSE_MS, signal);
    }
    return count;
  };
  await archive.linkRetention({ before, at: now() });
  const entries = await all(archive.prune);
  const versions = await all(archive.pruneVersions);
  if (entries + versions > 0) onNotice({ type: 'pruned', entries, versions });
}
