/** Puts objects into the queue of their kind. */
import { keyOf, type Ref } from '../model/object.ts';
import { nextTurn } from '../runtime/turns.ts';

interface Request {
  readonly priority?: 'high' | 'low';
  readonly reason: string;
}

/** The part of a queue that takes keys. */
export interface Enqueueable {
  add(key: string, request: Request): void;
  addAfter(key: string, ms: number, request: Request): void;
}

interface Enqueued {
  readonly metadata: Ref;
}

/** Adds objects of one kind to its queue. */
export interface Enqueue {
  now(objects: Iterable<Enqueued>): void;
  /** Like `now`; many objects are added in turns of the event loop. */
  inTurns(objects: Iterable<Enqueued>): Promise<void>;
  /** Adds the objects after the delay for counts. */
  later(objects: Iterable<Enqueued>): void;
}

/**
 * The objects of a start, or of a change that affects more objects than this, must not delay the change of a single
 * object.
 */
export const MAX_HIGH_PRIORITY = 100;

/** `reason` returns which object or event is the reason at the time of a call. */
export function enqueueTo(queue: Enqueueable, countDelayMs: number, reason: () => string): Enqueue {
  const requestsOf = (objects: Iterable<Enqueued>) => {
    // A change names an object several times: before it, after it, and among its namesakes.
    const keys = new Set(Iterator.from(objects).map(({ metadata }) => keyOf(metadata)));
    const priority = keys.size > MAX_HIGH_PRIORITY ? 'low' : 'high';
    return { keys, request: { priority, reason: reason() } } as const;
  };
  return {
    now(objects) {
      const { keys, request } = requestsOf(objects);
      for (const key of keys) queue.add(key, request);
    },
    async inTurns(objects) {
      const { keys, request } = requestsOf(objects);
      for (const key of keys) {
        queue.add(key, request);
        const turn = keys.size > MAX_HIGH_PRIORITY ? nextTurn() : undefined;
        if (turn !== undefined) await turn;
      }
    },
    later(objects) {
      const { keys, request } = requestsOf(objects);
      for (const key of keys) queue.addAfter(key, countDelayMs, request);
    },
  };
}
