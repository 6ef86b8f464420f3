/** The audit history: records changes in the archive and publishes them as Events, on the leader. */

import { isClusterError } from '../errors.ts';
import { publishEvent } from '../kube/api/events.ts';
import type { Transport } from '../kube/api/transport.ts';
import { createSharedSearch, EVENTS } from '../kube/replay/shared-search.ts';
import { type Clock, pause } from '../model/clock.ts';
import { createListeners } from '../model/listeners.ts';
import type { Ref } from '../model/object.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { Archive, ArchiveSize } from './archive/archive.ts';
import { createExporter, type Exporter, type ExporterParts } from './export/exporter.ts';
import { type AttributorParts, createAttributor } from './log/attributor.ts';
import type { AuditLog } from './log/audit-log.ts';
import { eventPublisher, recordedByEvents } from './publish/cluster-events.ts';
import { headEventOf } from './publish/head-event.ts';
import { createPublisher, type PublisherParts } from './publish/publisher.ts';
import { createHeadSigner, type HeadSigner, type HeadSignerParts } from './record/head-signer.ts';
import { createLinker } from './record/linker.ts';
import { createRecorder, type RecorderParts } from './record/recorder.ts';
import { keepRetention } from './record/retention.ts';

/** An Event says the author, and never changes: it waits for the log, which comes in batches of half a minute. */
const HOLD_MS = 60_000;

export interface HistoryParts
  extends Omit<RecorderParts, 'restore' | 'onEntries' | 'shared' | 'logCaughtUp'>,
    Pick<PublisherParts, 'callerWrites'> {
  readonly archive: Archive;
  readonly transport: Transport;
  /** The operator's own namespace. */
  readonly home: string;
  /** Receives what a listener throws. */
  readonly onFault: (error: unknown) => void;
  /** The `reportingInstance` of the Events: the name of this replica. */
  readonly instance: string;
  readonly tracing: Pick<Tracing, 'step'>;
  /** Undefined: entries are never pruned. */
  readonly retentionMs: number | undefined;
  /** Undefined: heads of the chain are not signed. `lease`: what their Events are about. */
  readonly signing: (Pick<HeadSignerParts, 'readKey' | 'intervalMs'> & { readonly lease: Ref }) | undefined;
  /** Undefined: the chain is not exported. */
  readonly export: Pick<ExporterParts, 'name' | 'target' | 'intervalMs'> | undefined;
  /** Undefined: there is no audit log of the API server. */
  readonly log: (Pick<AttributorParts, 'whoAmI' | 'lateMs'> & Pick<AuditLog, 'caughtUp' | 'onTaken'>) | undefined;
}

export interface History {
  /** Records every change, starting at the cursors of the archive, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Calls the listener after entries were stored. */
  readonly onRecorded: (listener: () => void) => void;
  readonly isRunning: boolean;
  /** Number of watch events that are not in the archive yet. */
  readonly waitingChanges: number;
  /** When the oldest of them arrived, in ms since 1970. */
  readonly waitingSince: number | undefined;
  /** All changes up to this time are in the archive, in ms since 1970; undefined: not all kinds are recorded now. */
  readonly recordedUntil: number | undefined;
  /** Entries whose Events are not published yet. */
  readonly waitingEvents: number;
  /** The last measurement; undefined: another replica is recording, or the archive did not answer. */
  readonly archiveSize: ArchiveSize | undefined;
  /** Entries that the audit log of the API server is late for; undefined: there is none, or another replica records. */
  readonly lateEntries: number | undefined;
  /** Undefined: heads of the chain are not signed. */
  readonly heads: Pick<HeadSigner, 'signed' | 'overdueMs'> | undefined;
  /** Undefined: the chain is not exported. */
  readonly exporter: Pick<Exporter, 'waitingLinks' | 'overdueMs'> | undefined;
}

export function createHistory(parts: HistoryParts): History {
  const shared = createSharedSearch();
  const onCreated = (version: string) => shared.rememberVersion(EVENTS, version);
  const publishEntries = eventPublisher({ ...parts, onCreated });
  const publish: PublisherParts['publish'] = (entries, signal) =>
    parts.tracing.step({ ...entries[0], name: 'publish Event' }, () => publishEntries(entries, signal));
  const { log, archive } = parts;
  const publisher = createPublisher({ ...parts, publish, holdMs: log && HOLD_MS });
  const attributor = log && createAttributor({ ...parts, ...log, store: archive.log, onNamed: publisher.wake });
  const wakeAttributor = () => attributor?.wake();
  log?.onTaken(wakeAttributor);
  const linker = createLinker(parts);
  const signer = signerOf(parts, onCreated);
  const exporter = parts.export && createExporter({ ...parts, ...parts.export, exports: archive.exports });
  const recorded = createListeners(parts.onFault);
  for (const wake of [wakeAttributor, publisher.wake, linker.wake]) recorded.add(wake);
  const recorder = createRecorder({
    ...parts,
    shared,
    restore: (signal) => restoreFromEvents(parts, signal),
    logCaughtUp: log?.caughtUp,
    onEntries: recorded.call,
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
      await Promise.all([
        ...[recorder.run(signal), publisher.run(signal), attributor?.run(signal), linker.run(signal)],
        ...[signer?.run(signal), exporter?.run(signal)],
        ...upkeep,
      ]);
      isRunning = false;
    },
    onRecorded: recorded.add,
    get isRunning() {
      return isRunning;
    },
    get waitingChanges() {
      return recorder.waiting;
    },
    get waitingSince() {
      return recorder.oldest;
    },
    get recordedUntil() {
      return recorder.recordedUntil;
    },
    get waitingEvents() {
      return publisher.waiting;
    },
    get archiveSize() {
      return archiveSize;
    },
    get lateEntries() {
      return attributor?.late;
    },
    heads: signer,
    exporter,
  };
}

function signerOf(parts: HistoryParts, onCreated: (version: string) => void): HeadSigner | undefined {
  const { signing, archive, transport, instance } = parts;
  if (signing === undefined) return undefined;
  return createHeadSigner({
    ...parts,
    ...signing,
    heads: archive.heads,
    async publish(head, signal) {
      const version = await publishEvent(transport, headEventOf(head, signing.lease, instance), signal);
      if (version !== undefined) onCreated(version);
    },
  });
}

/** Also reports zero entries: the loss of an archive must be visible in the log. */
async function restoreFromEvents(parts: HistoryParts, signal: AbortSignal): Promise<void> {
  const namespaces = [...new Set([parts.home, ...parts.places.map(({ namespace }) => namespace)])];
  const everywhere = namespaces.includes(undefined);
  let entries = 0;
  for (const namespace of everywhere ? [undefined] : namespaces) {
    entries += await restoreFrom(parts, namespace, signal);
  }
  parts.onNotice({ type: 'restored', entries });
}

/** Skips namespaces whose Events the operator may not read: recording must not wait for a permission. */
async function restoreFrom(
  { transport, archive, onNotice }: HistoryParts,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  let entries = 0;
  try {
    for await (const recorded of recordedByEvents(transport, namespace, signal)) {
      if (recorded.length > 0) entries += await archive.restore(recorded);
    }
  } catch (error) {
    if (!isClusterError(error, 'missing-permission')) throw error;
    onNotice({ type: 'restore-refused', namespace: namespace ?? '*', error });
  }
  return entries;
}

interface SizeParts {
  readonly archive: Pick<Archive, 'size'>;
  readonly clock: Clock;
  readonly onSize: (size: ArchiveSize | undefined) => void;
}

const MEASURE_EVERY_MS = 60_000;

/**
 * Measures until the signal aborts, and not during a scrape, which must not wait for a database. `onSize` receives
 * undefined while the archive does not answer.
 */
async function measureSize({ archive, clock, onSize }: SizeParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    onSize(await archive.size().catch(() => undefined));
    await pause(clock, MEASURE_EVERY_MS, signal);
  }
  onSize(undefined);
}
