/** Times that bound a frame of the watch, from the frames before it and after it. */
import { WITHIN_SECOND_MS } from '../../kube/cache/written-at.ts';
import type { Frame } from './watch-buffer.ts';

/** The latest time at which an object up to this frame was written, according to the objects. */
export function reachedAfter(frame: Frame, reachedAt: number): number {
  return frame.reports === 'applied' ? Math.max(reachedAt, Math.min(frame.writtenAt, frame.at)) : reachedAt;
}

/** For each frame, a time before which it happened, if a later frame in the list shows one. */
export function upperBoundsOf(frames: readonly Frame[], reachedAt: number): readonly number[] {
  let reached = reachedAt;
  const records = frames.map((frame) => {
    const [before, after] = [reached, reachedAfter(frame, reached)];
    reached = after;
    return after > before ? after + WITHIN_SECOND_MS : undefined;
  });
  const bounds: number[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const [index, record] of [...records.entries()].toReversed()) {
    const frame = frames[index];
    bounds.push(frame && 'notAfter' in frame ? Math.min(next, frame.notAfter) : next);
    next = record ?? next;
  }
  return bounds.toReversed();
}
