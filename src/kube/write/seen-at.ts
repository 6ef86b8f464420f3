/** Records in the status when an object was last used, at most once per hour and without blocking. */

import { timestampOf } from '../../model/clock.ts';
import { type CustomObject, keyOf } from '../../model/object.ts';
import type { Logger } from '../../telemetry/logger.ts';

interface Seen {
  readonly seenAt?: string | undefined;
}

export interface SeenAtParts<S, T extends Seen> {
  readonly kind: {
    patchStatus(object: CustomObject<S, T>, members: Partial<T>, signal?: AbortSignal): Promise<unknown>;
  };
  /** Ms since 1970. */
  readonly now: () => number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const HOUR_MS = 3_600_000;
/** The wait after a failed write, which most likely was a conflict with another write to the same object. */
const RETRY_MS = 60_000;
const CONCURRENCY = 4;
/** Limit of remembered objects; the oldest are dropped, at the cost of an unnecessary write. */
const MAX_REMEMBERED = 10_000;

/**
 * Returns a function to call with each used object, on any replica. It returns at once, and writes at most once per
 * hour and object; of several replicas usually one writes. A write that cannot run now is dropped.
 */
export function createSeenAt<S, T extends Seen>(parts: SeenAtParts<S, T>): (object: CustomObject<S, T>) => void {
  const { kind, now, logger, signal } = parts;
  /** The earliest time of the next write, by uid. */
  const notBefore = new Map<string, number>();
  let running = 0;

  const remember = (uid: string, at: number) => {
    notBefore.delete(uid);
    notBefore.set(uid, at);
    for (const oldest of notBefore.keys()) {
      if (notBefore.size <= MAX_REMEMBERED) break;
      notBefore.delete(oldest);
    }
  };

  const write = async (object: CustomObject<S, T>, at: number): Promise<void> => {
    running += 1;
    remember(object.metadata.uid, at + HOUR_MS);
    try {
      const seenAt = timestampOf(at);
      await kind.patchStatus(object, { seenAt } as Partial<T>, signal);
    } catch (error) {
      remember(object.metadata.uid, at + RETRY_MS);
      logger.debug({ object: keyOf(object.metadata), error }, 'last use: cannot update status.seenAt');
    } finally {
      running -= 1;
    }
  };

  return (object) => {
    const at = now();
    const recorded = Date.parse(object.status?.seenAt ?? '');
    const isFresh = at - recorded < HOUR_MS || at < (notBefore.get(object.metadata.uid) ?? 0);
    if (!isFresh && running < CONCURRENCY && !signal.aborted) void write(object, at);
  };
}
