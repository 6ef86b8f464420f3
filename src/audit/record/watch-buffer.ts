/** Buffers watch events until they are recorded: ordered, and bounded by a byte budget. */

import type { WatchSink } from '../../kube/cache/watch.ts';
import { asRawObject } from '../../kube/object/raw-object.ts';
import { writtenAtOf } from '../../kube/object/written-at.ts';
import { keyOf } from '../../model/object.ts';
import { isAtMost } from '../../model/version.ts';
import type { ByteBudget } from './byte-budget.ts';
import { fingerprintOf } from './fingerprint.ts';
import { createNotifier } from './notifier.ts';
import { snapshotOf } from './snapshot.ts';

/** One event of the watch. */
export type Frame = FrameTime &
  (
    | { readonly reports: 'begin'; readonly isRewritten: boolean }
    | { readonly reports: 'swap' | 'progressed'; readonly version: string }
    | RecordedObject
  );

export interface FrameTime {
  /** When the event arrived, in ms since 1970. */
  readonly at: number;
  /** The change happened while no watch was running. */
  readonly isLate: boolean;
}

export interface RecordedObject extends FrameTime {
  readonly reports: 'listed' | 'unlisted' | 'applied' | 'deleted';
  readonly uid: string;
  /** namespace/name. */
  readonly key: string;
  readonly version: string;
  /** See `fingerprintOf`. */
  readonly mark: string;
  /** The latest write time that the object states, in ms since 1970; 0: none. */
  readonly writtenAt: number;
  /** Upper bound: a later change was written by then, in ms since 1970. */
  readonly notAfter: number;
  readonly snapshot: string;
}

export interface WatchBuffer {
  readonly sink: WatchSink;
  /**
   * Waits for frames and returns the first `max` of them; none after the signal has aborted. They stay until `drop`.
   */
  next(max: number): Promise<readonly Frame[]>;
  drop(count: number): void;
  readonly length: number;
  /** When the first buffered frame arrived; undefined: the buffer is empty. */
  readonly oldest: number | undefined;
}

export interface WatchBufferParts {
  /** Ms since 1970. */
  readonly now: () => number;
  /** Resolves all waits of both sides. */
  readonly signal: AbortSignal;
  readonly budget: ByteBudget;
}

export function createWatchBuffer({ now, signal, budget }: WatchBufferParts): WatchBuffer {
  let frames: Frame[] = [];
  let behind: string | undefined;
  const filled = createNotifier();
  signal.addEventListener('abort', filled.notify, { once: true });

  const push = (frame: Frame): void => {
    frames.push(frame);
    budget.enter(sizeOf(frame));
    filled.notify();
  };
  const timeOf = (version: string): FrameTime => ({ at: now(), isLate: isAtMost(version, behind) });
  const object =
    (reports: RecordedObject['reports']) =>
    (recorded: unknown, notAfter = Number.POSITIVE_INFINITY) => {
      const raw = asRawObject(recorded);
      const { uid, resourceVersion } = raw.metadata;
      const facts = { uid, key: keyOf(raw.metadata), version: resourceVersion, mark: fingerprintOf(raw) };
      const times = { ...timeOf(resourceVersion), writtenAt: writtenAtOf(raw), notAfter };
      push({ ...times, reports, ...facts, snapshot: snapshotOf(raw) });
    };

  return {
    sink: {
      begin(isRewritten) {
        // Versions begin again.
        if (isRewritten) behind = undefined;
        push({ at: now(), isLate: false, reports: 'begin', isRewritten });
      },
      listed: object('listed'),
      unlisted: object('unlisted'),
      swap: (version) => push({ ...timeOf(version), reports: 'swap', version }),
      applied: object('applied'),
      deleted: object('deleted'),
      progressed: (version) => push({ ...timeOf(version), reports: 'progressed', version }),
      behind(version) {
        behind = version;
      },
      pace: budget.pace,
    },
    async next(max) {
      if (frames.length === 0 && !signal.aborted) await filled.notified();
      return signal.aborted ? [] : frames.slice(0, max);
    },
    drop(count) {
      budget.leave(frames.slice(0, count).reduce((sum, frame) => sum + sizeOf(frame), 0));
      frames = frames.slice(count);
    },
    get length() {
      return frames.length;
    },
    get oldest() {
      return frames[0]?.at;
    },
  };
}

function sizeOf(frame: Frame): number {
  return 'snapshot' in frame ? frame.snapshot.length : 1;
}
