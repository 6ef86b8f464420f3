/** Exports the chain with its rows as segments for write-once storage. */
import { type HistorySegment, segmentOf } from '../../domain/history/segment.ts';
import type { Clock } from '../../model/clock.ts';
import type { ExportCursor, ExportLimits, ExportState, ExportStore } from '../archive/chain/export-store.ts';
import { createDueWork } from '../record/due-work.ts';
import type { Notify } from '../record/notice.ts';

/** Where segments go. Nothing there is replaced or deleted. */
export interface SegmentTarget {
  /** Does nothing if there is a segment of this name, which has the same text. */
  put(segment: HistorySegment, signal: AbortSignal): Promise<void>;
}

export interface ExporterParts {
  readonly exports: ExportStore;
  /** Names the target in the archive: each has its own cursor. */
  readonly name: string;
  readonly target: SegmentTarget;
  readonly intervalMs: number;
  readonly limits?: ExportLimits;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly onNotice: Notify;
}

export interface Exporter {
  /** Exports until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Links that are not exported yet; undefined: another replica exports. */
  readonly waitingLinks: number | undefined;
  /** For how long the export fails, in ms; undefined: another replica exports. */
  readonly overdueMs: number | undefined;
}

const LOOK_EVERY_MS = 30_000;
/** Bounds the memory for a segment, and the size of an object. */
const LIMITS: ExportLimits = { links: 5_000, characters: 4 * 1024 * 1024 };

export function createExporter(parts: ExporterParts): Exporter {
  const { exports, name, target, intervalMs, limits = LIMITS, clock, now, onNotice } = parts;
  let waitingLinks = 0;

  function isDue({ cursor, last }: ExportState): boolean {
    const isFull = last - cursor.n >= limits.links;
    const isTime = Math.abs(now() - cursor.movedAt) >= intervalMs;
    return last > cursor.n && (isFull || isTime || cursor.planned > cursor.n);
  }

  async function exportOne(cursor: ExportCursor, signal: AbortSignal): Promise<void> {
    const { after, last, lines, lost, heads } = await exports.lines(cursor, limits, signal);
    if (last.n === after.n) {
      await exports.move(name, cursor, { ...cursor, ...after, planned: after.n });
      onNotice({ type: 'exported', segment: undefined, lost });
      return;
    }
    // The end is stored first. A leader that goes on after a failure writes the same links.
    const planned = { ...cursor, planned: last.n };
    if (cursor.planned !== last.n) await exports.move(name, cursor, planned);
    const segment = segmentOf({ after, to: last.n, previous: cursor.segment, lines });
    await target.put(segment, signal);
    await exports.move(name, planned, { ...last, planned: last.n, heads, segment: segment.name, movedAt: now() });
    onNotice({ type: 'exported', segment: segment.name, lost });
  }

  const due = createDueWork({
    ...{ clock, now, lookEveryMs: Math.min(LOOK_EVERY_MS, intervalMs) },
    async work(signal) {
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        const state = await exports.state(name);
        waitingLinks = state.last - state.cursor.n;
        if (isFirst ? !isDue(state) : waitingLinks < limits.links) return;
        await exportOne(state.cursor, signal);
      }
    },
    onFailure: (error, isFirst) => onNotice({ type: 'export-failed', error, isFirst }),
    onRecovery: () => onNotice({ type: 'export-recovered' }),
  });
  return {
    run: due.run,
    get waitingLinks() {
      return due.overdueMs === undefined ? undefined : waitingLinks;
    },
    get overdueMs() {
      return due.overdueMs;
    },
  };
}
