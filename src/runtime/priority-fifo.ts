/**
 * A list of keys without repeats in two priorities: the high ones come first, each priority in the order of arrival.
 */
import { keyedFifo } from './keyed-fifo.ts';

/** `high`: a user may wait for this one object. `low`: one of many objects that start, or a wide change, enqueues. */
export type Priority = 'high' | 'low';

export interface PriorityFifo {
  /** A key that is in the list already keeps its place, or moves to the end of the higher priority. */
  push(key: string, priority: Priority): void;
  /** The next key; without `mayBeLow`, the next key of high priority. */
  shift(mayBeLow: boolean): Prioritized | undefined;
  has(key: string): boolean;
  readonly length: number;
}

export interface Prioritized {
  readonly key: string;
  readonly priority: Priority;
}

/** If keys of both priorities may be taken, every tenth is a low one, so that high ones never starve them. */
export const MAX_HIGH_IN_A_ROW = 9;

export function higher(one: Priority, other: Priority = 'low'): Priority {
  return one === 'high' ? one : other;
}

/** An empty list. */
export function priorityFifo(): PriorityFifo {
  const keys = { high: keyedFifo(), low: keyedFifo() };
  let highInARow = 0;

  function next(mayBeLow: boolean): Priority {
    if (!mayBeLow || keys.low.length === 0) return 'high';
    if (keys.high.length === 0) return 'low';
    return highInARow < MAX_HIGH_IN_A_ROW ? 'high' : 'low';
  }

  return {
    push(key, priority) {
      if (keys.high.has(key)) return;
      if (priority === 'high') keys.low.delete(key);
      keys[priority].push(key);
    },
    shift(mayBeLow) {
      const priority = next(mayBeLow);
      const key = keys[priority].shift();
      if (key === undefined) return undefined;
      highInARow = priority === 'high' && keys.low.length > 0 ? highInARow + 1 : 0;
      return { key, priority };
    },
    has: (key) => keys.high.has(key) || keys.low.has(key),
    get length() {
      return keys.high.length + keys.low.length;
    },
  };
}
