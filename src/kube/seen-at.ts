/** Notes in the status of objects when they were last used: rarely, and never in anybody's way. */
import { type CustomObject, keyOf } from '../schema/object.ts';
import type { Logger } from '../telemetry/logger.ts';

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
/** After a write that failed, which was most likely overtaken by another one to the same object. */
const RETRY_MS = 60_000;
const AT_ONCE = 4;
/** Of objects: beyond this the ones that were noted first are forgotten, which costs a write that was not needed. */
const MOST_REMEMBERED = 10_000;

/**
 * Gives a function that any replica may call with whatever was just used. It returns at once. It writes at most once an
 * hour for each object, and if several replicas do, mostly one of them; what cannot be written now is dropped.
 */
export function createSeenAt<S, T extends Seen>({ kind, now, logger, signal }: SeenAtParts<S, T>) {
  /** When each object is to be written again at the earliest, by its uid. */
  const notBefore = new Map<string, number>();
  let running = 0;

  const remember = (uid: string, at: number) => {
    notBefore.delete(uid);
    notBefore.set(uid, at);
    for (const oldest of notBefore.keys()) {
      if (notBefore.size <= MOST_REMEMBERED) break;
      notBefore.delete(oldest);
    }
  };

  const write = async (object: CustomObject<S, T>, at: number): Promise<void> => {
    running += 1;
    remember(object.metadata.uid, at + HOUR_MS);
    try {
      const seenAt = `${new Date(at).toISOString().slice(0, 19)}Z`;
      await kind.patchStatus(object, { seenAt } as Partial<T>, signal);
    } catch (error) {
      remember(object.metadata.uid, at + RETRY_MS);
      logger.debug({ object: keyOf(object.metadata), error }, 'when it was seen could not be noted');
    } finally {
      running -= 1;
    }
  };

  return function markSeen(object: CustomObject<S, T>): void {
    const at = now();
    const told = Date.parse(object.status?.seenAt ?? '');
    const isFresh = at - told < HOUR_MS || at < (notBefore.get(object.metadata.uid) ?? 0);
    if (!isFresh && running < AT_ONCE && !signal.aborted) void write(object, at);
  };
}
