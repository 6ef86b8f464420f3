/** The history of all that changes, as the leader keeps it. */
import { isAppError } from '../errors.ts';
import type { Transport } from '../kube/transport.ts';
import type { Archive, ArchiveSize } from './archive.ts';
import { eventPublisher, toldByEvents } from './cluster-events.ts';
import { measureSize } from './measure-size.ts';
import { createPublisher } from './publisher.ts';
import { createRecorder, type RecorderParts } from './recorder.ts';
import { keepRetention } from './retention.ts';

export interface HistoryParts extends Omit<RecorderParts, 'restore' | 'onEntries'> {
  readonly archive: Archive;
  readonly transport: Transport;
  /** The operator's own namespace. */
  readonly home: string;
  /** Which replica tells it. */
  readonly instance: string;
  /** Undefined: entries are kept for ever. */
  readonly retentionMs: number | undefined;
}

export interface History {
  /** Tells every change, from where the archive ends, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  readonly isRunning: boolean;
  /** What was told by the watches and is not in the archive yet. */
  readonly waitingChanges: number;
  /** When the oldest of it was told, in ms since 1970. */
  readonly waitingSince: number | undefined;
  /** Entries whose Events are not published yet. */
  readonly waitingEvents: number;
  /** As it was measured last; undefined: another replica tells the history, or the archive did not answer. */
  readonly archiveSize: ArchiveSize | undefined;
}

export function createHistory(parts: HistoryParts): History {
  const publisher = createPublisher({ ...parts, publish: eventPublisher(parts) });
  const recorder = createRecorder({
    ...parts,
    restore: (signal) => restoreFromEvents(parts, signal),
    onEntries: publisher.wake,
  });
  let isRunning = false;
  let archiveSize: ArchiveSize | undefined;
  const onSize = (size: ArchiveSize | undefined) => {
    archiveSize = size;
  };
  return {
    async run(signal) {
      isRunning = true;
      const upkeep = [keepRetention(parts, signal), measureSize({ ...parts, onSize }, signal)];
      await Promise.all([recorder.run(signal), publisher.run(signal), ...upkeep]);
      isRunning = false;
    },
    get isRunning() {
      return isRunning;
    },
    get waitingChanges() {
      return recorder.waiting;
    },
    get waitingSince() {
      return recorder.oldest;
    },
    get waitingEvents() {
      return publisher.waiting;
    },
    get archiveSize() {
      return archiveSize;
    },
  };
}

/** Also says so where there was nothing: an archive that is lost must not go unnoticed. */
async function restoreFromEvents(parts: HistoryParts, signal: AbortSignal): Promise<void> {
  const namespaces = [...new Set([parts.home, ...parts.places.map(({ namespace }) => namespace)])];
  const everywhere = namespaces.includes(undefined);
  let entries = 0;
  for (const namespace of everywhere ? [undefined] : namespaces) {
    entries += await restoreFrom(parts, namespace, signal);
  }
  parts.onNotice({ type: 'restored', entries });
}

/** Where Events may not be read nothing comes from them: the history must not wait for a permission. */
async function restoreFrom(
  { transport, archive, onNotice }: HistoryParts,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  let entries = 0;
  try {
    for await (const told of toldByEvents(transport, namespace, signal)) {
      if (told.length > 0) entries += await archive.restore(told);
    }
  } catch (error) {
    if (!isAppError(error, 'forbidden')) throw error;
    onNotice({ type: 'restore-refused', namespace: namespace ?? '*', error });
  }
  return entries;
}
