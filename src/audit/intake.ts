/** What a watch has told and nobody has recorded yet: in order, and bounded, as the reader of the watch waits. */
import { asRawObject } from '../kube/raw-object.ts';
import { isAtMost } from '../kube/version.ts';
import type { WatchSink } from '../kube/watch.ts';
import { writtenAtOf } from '../kube/written-at.ts';
import { keyOf } from '../schema/object.ts';
import { createBell } from './bell.ts';
import { markOf } from './mark.ts';
import { snapshotOf } from './snapshot.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** One thing that the watch told. */
export type Frame = FrameTime &
  (
    | { readonly tells: 'begin'; readonly isRewritten: boolean }
    | { readonly tells: 'swap' | 'progressed'; readonly version: string }
    | ToldObject
  );

export interface FrameTime {
  /** When it came, in ms since 1970. */
  readonly at: number;
  /** It had happened before, while nobody watched. */
  readonly isLate: boolean;
}

export interface ToldObject extends FrameTime {
  readonly tells: 'listed' | 'unlisted' | 'applied' | 'deleted';
  readonly uid: string;
  /** namespace/name. */
  readonly key: string;
  readonly version: string;
  /** See `markOf`. */
  readonly mark: string;
  /** The latest time at which the object says that it was written, in ms since 1970; 0: it does not say. */
  readonly writtenAt: number;
  /** Something after it was written then at the latest, in ms since 1970. */
  readonly notAfter: number;
  readonly snapshot: string;
}

export interface Intake {
  readonly sink: WatchSink;
  /** The first of those that wait, at most `most`, once there are any; none when told to end. They stay until `drop`. */
  next(most: number): Promise<readonly Frame[]>;
  drop(count: number): void;
  readonly length: number;
  /** When the first of those that wait was told; undefined: none waits. */
  readonly oldest: number | undefined;
}

export interface IntakeParts {
  /** Ms since 1970. */
  readonly now: () => number;
  /** Ends all waiting, of both sides. */
  readonly signal: AbortSignal;
  readonly room: WaitingRoom;
}

export function createIntake({ now, signal, room }: IntakeParts): Intake {
  let frames: Frame[] = [];
  let behind: string | undefined;
  const filled = createBell();
  signal.addEventListener('abort', filled.ring, { once: true });

  const push = (frame: Frame): void => {
    frames.push(frame);
    room.enter(sizeOf(frame));
    filled.ring();
  };
  const timeOf = (version: string): FrameTime => ({ at: now(), isLate: isAtMost(version, behind) });
  const object =
    (tells: ToldObject['tells']) =>
    (told: unknown, notAfter = Number.POSITIVE_INFINITY) => {
      const raw = asRawObject(told);
      const { uid, resourceVersion } = raw.metadata;
      const facts = { uid, key: keyOf(raw.metadata), version: resourceVersion, mark: markOf(raw) };
      const times = { ...timeOf(resourceVersion), writtenAt: writtenAtOf(raw), notAfter };
      push({ ...times, tells, ...facts, snapshot: snapshotOf(raw) });
    };

  return {
    sink: {
      begin: (isRewritten) => push({ at: now(), isLate: false, tells: 'begin', isRewritten }),
      listed: object('listed'),
      unlisted: object('unlisted'),
      swap: (version) => push({ ...timeOf(version), tells: 'swap', version }),
      applied: object('applied'),
      deleted: object('deleted'),
      progressed: (version) => push({ ...timeOf(version), tells: 'progressed', version }),
      behind(version) {
        behind = version;
      },
      pace: room.pace,
    },
    async next(most) {
      if (frames.length === 0 && !signal.aborted) await filled.rung();
      return signal.aborted ? [] : frames.slice(0, most);
    },
    drop(count) {
      room.leave(frames.slice(0, count).reduce((sum, frame) => sum + sizeOf(frame), 0));
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
