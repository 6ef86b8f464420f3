/** Shares equal texts, so that they take memory once. */
import { LRUCache } from 'lru-cache';

/** Longer texts are rarely equal. */
const MAX_LENGTH = 16 * 1024;
/** The bound of all texts together, in characters. */
const MAX_KEPT = 2 * 1024 * 1024;
/** The estimated overhead of a kept text, in characters. */
const CHARACTERS_AROUND = 150;

/** Returns an equal text that was given before, unless it was not used for long. */
export function createInterner(): (text: string) => string {
  const kept = new LRUCache<string, string>({
    maxSize: MAX_KEPT,
    sizeCalculation: (text) => text.length + CHARACTERS_AROUND,
  });
  return (text) => {
    if (text.length > MAX_LENGTH) return text;
    const known = kept.get(text);
    if (known === undefined) kept.set(text, text);
    return known ?? text;
  };
}
