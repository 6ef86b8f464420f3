/** Deletes what is older than the history shall be, a little at a time. */
import { type Clock, pause } from '../kube/pause.ts';
import type { Archive } from './archive.ts';
import type { Notify } from './notice.ts';

export interface RetentionParts {
  readonly archive: Pick<Archive, 'prune'>;
  /** Undefined: for ever. */
  readonly retentionMs: number | undefined;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly onNotice: Notify;
}

const LOOK_EVERY_MS = 60 * 60 * 1000;
const AT_ONCE = 500;
/** Between two batches others get the archive. */
const APART_MS = 100;

export async function keepRetention(parts: RetentionParts, signal: AbortSignal): Promise<void> {
  const { retentionMs, clock, onNotice } = parts;
  if (retentionMs === undefined) return;
  while (!signal.aborted) {
    await pruneAll(parts, parts.now() - retentionMs, signal).catch((error: unknown) => {
      if (!signal.aborted) onNotice({ type: 'pruning-failed', error });
    });
    await pause(clock, LOOK_EVERY_MS, signal);
  }
}

async function pruneAll(
  { archive, clock, onNotice }: RetentionParts,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  let entries = 0;
  while (!signal.aborted) {
    const deleted = await archive.prune(before, AT_ONCE);
    entries += deleted;
    if (deleted < AT_ONCE) break;
    await pause(clock, APART_MS, signal);
  }
  if (entries > 0) onNotice({ type: 'pruned', entries });
}
