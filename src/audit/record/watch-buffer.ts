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
  readonly fingerprint: string;
  /** The latest write time that the object states, in ms since 1970; 0: none. */
  readonly writtenAt: number;
  /** Upper bound: a later change was written by then, in ms since 1970. */
  readonly notAfter: number;
  readonly snapshot: string;
}

export interface WatchBuffer {
  readonly sink: WatchSink;
  /**
   * Waits for frames and returns the first ones within the limits; none after the signal has aborted. They stay until
   * `drop`.
   */
  next(limits: BatchLimits): Promise<readonly Frame[]>;
  drop(count: number): void;
  readonly length: number;
  /** Whether as many frames wait as the limits allow. */
  isFull(limits: BatchLimits): boolean;
  /** When the first buffered frame arrived; undefined: the buffer is empty. */
  readonly oldest: number | undefined;
}

export interface BatchLimits {
  readonly frames: number;
  /** Characters of the objects. One frame may have more. */
  readonly size: number;
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
  let lateUpTo: string | undefined;
  const filled = createNotifier();
  signal.addEventListener('abort', filled.notify, { once: true });

  const push = (frame: Frame): void => {
    frames.push(frame);
    budget.enter(sizeOf(frame));
    filled.notify();
  };
  const timeOf = (version: string): FrameTime => ({ at: now(), isLate: isAtMost(version, lateUpTo) });
  const object =
    (reports: RecordedObject['reports']) =>
    (recorded: unknown, notAfter = Number.POSITIVE_INFINITY) => {
      const raw = asRawObject(recorded);
      const { uid, resourceVersion } = raw.metadata;
      const facts = { uid, key: keyOf(raw.metadata), version: resourceVersion, fingerprint: fingerprintOf(raw) };
      const times = { ...timeOf(resourceVersion), writtenAt: writtenAtOf(raw), notAfter };
      push({ ...times, reports, ...facts, snapshot: snapshotOf(raw) });
    };

  return {
    sink: {
      begin(isRewritten) {
        // Versions begin again.
        if (isRewritten) lateUpTo = undefined;
        push({ at: now(), isLate: false, reports: 'begin', isRewritten });
      },
      listed: object('listed'),
      unlisted: object('unlisted'),
      swap: (version) => push({ ...timeOf(version), reports: 'swap', version }),
      applied: object('applied'),
      deleted: object('deleted'),
      progressed: (version) => push({ ...timeOf(version), reports: 'progressed', version }),
      lateUpTo(version) {
        lateUpTo = version;
      },
      pace: budget.pace,
    },
    async next(limits) {
      if (frames.length === 0 && !signal.aborted) await filled.notified();
      return signal.aborted ? [] : within(limits, frames);
    },
    drop(count) {
      budget.leave(sizeOfAll(frames.slice(0, count)));
      frames = frames.slice(count);
    },
    get length() {
      return frames.length;
    },
    isFull(limits) {
      const first = within(limits, frames);
      return first.length < frames.length || first.length >= limits.frames || sizeOfAll(first) >= limits.size;
    },
    get oldest() {
      return frames[0]?.at;
    },
  };
}

function within(limits: BatchLimits, frames: readonly Frame[]): readonly Frame[] {
  const first = frames.slice(0, limits.frames);
  let size = 0;
  const end = first.findIndex((frame, index) => {
    size += sizeOf(frame);
    return index > 0 && size > limits.size;
  });
  return end === -1 ? first : first.slice(0, end);
}

const sizeOfAll = (frames: readonly Frame[]): number => frames.reduce((sum, frame) => sum + sizeOf(frame), 0);

function sizeOf(frame: Frame): number {
  return 'snapshot' in frame ? frame.snapshot.length : 1;
}
