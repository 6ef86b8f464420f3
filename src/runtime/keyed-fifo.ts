/** A list of keys without repeats: first in, first out. */

export interface KeyedFifo {
  push(key: string): void;
  shift(): string | undefined;
  has(key: string): boolean;
  /** Removes the key, wherever it is in the list. */
  delete(key: string): void;
  readonly length: number;
}

/** An empty list. */
export function keyedFifo(): KeyedFifo {
  const keys = new Set<string>();
  // One iterator for as long as there are keys: it also returns keys that are added later, and everything behind it has
  // been deleted. A new iterator for each shift would pass the gaps of all deleted keys again, in quadratic time.
  let walk = keys.values();

  return {
    push: (key) => void keys.add(key),
    shift() {
      if (keys.size === 0) return undefined;
      let step = walk.next();
      if (step.done) {
        walk = keys.values();
        step = walk.next();
      }
      if (step.done) return undefined;
      keys.delete(step.value);
      return step.value;
    },
    has: (key) => keys.has(key),
    delete: (key) => void keys.delete(key),
    get length() {
      return keys.size;
    },
  };
}
