/** Puts objects into the queue of their kind. */
import type { Named } from '../domain/identity/names.ts';
import { keyOf } from '../model/object.ts';
import { nextTurn } from '../runtime/turns.ts';

/** The part of a queue that takes keys. */
export interface Enqueueable {
  add(key: string, priority?: Priority): void;
  addAfter(key: string, ms: number, priority?: Priority): void;
}

type Priority = 'high' | 'low';

/** Adds objects of one kind to its queue. */
export interface Enqueue {
  now(objects: Iterable<Named>): void;
  /** Like `now`; many objects are added in turns of the event loop. */
  inTurns(objects: Iterable<Named>): Promise<void>;
  /** Adds the objects after the delay for counts. */
  later(objects: Iterable<Named>): void;
}

/**
 * The objects of a start, or of a change that affects more objects than this, must not delay the change of a single
 * object.
 */
export const MAX_HIGH_PRIORITY = 100;

export function enqueueTo(queue: Enqueueable, countDelayMs: number): Enqueue {
  return {
    now(objects) {
      const keys = keysOf(objects);
      for (const key of keys) queue.add(key, priorityOf(keys));
    },
    async inTurns(objects) {
      const keys = keysOf(objects);
      for (const key of keys) {
        queue.add(key, priorityOf(keys));
        const turn = keys.length > MAX_HIGH_PRIORITY ? nextTurn() : undefined;
        if (turn !== undefined) await turn;
      }
    },
    later(objects) {
      const keys = keysOf(objects);
      for (const key of keys) queue.addAfter(key, countDelayMs, priorityOf(keys));
    },
  };
}

function keysOf(objects: Iterable<Named>): readonly string[] {
  return Array.from(objects, ({ metadata }) => keyOf(metadata));
}

function priorityOf({ length }: readonly string[]): Priority {
  return length > MAX_HIGH_PRIORITY ? 'low' : 'high';
}
