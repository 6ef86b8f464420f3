/** What callers may ask for again: answers, feeds and notices, by what was asked. */
import { LRUCache } from 'lru-cache';

/** Callers that poll ask more often. */
const KEPT_MS = 3_600_000;
const PURGE_EVERY_MS = 60_000;

type Bounds = { readonly max: number } | { readonly maxSize: number };

export interface KeptAnswers<V> {
  get(key: string): V | undefined;
  set(key: string, value: V, options?: { readonly size: number }): void;
  /** How many are in memory. */
  readonly size: number;
}

/**
 * Drops the least recently used beyond the bounds. When something new is kept, also drops what nobody has asked for in
 * the last hour: environments and projects come and go, and an answer keeps the flags of its time in memory. An answer
 * above the bound is kept alone: without it, each caller would have it made again. `now` is a monotonic clock, in ms.
 */
export function keepAnswers<V extends object>(bounds: Bounds, now = () => performance.now()): KeptAnswers<V> {
  const kept = new LRUCache<string, V>({
    ...bounds,
    ttl: KEPT_MS,
    ttlResolution: 0,
    updateAgeOnGet: true,
    perf: { now },
  });
  let purgedAt = now();
  return {
    get: (key) => kept.get(key),
    set(key, value, options) {
      if (now() - purgedAt > PURGE_EVERY_MS) {
        purgedAt = now();
        kept.purgeStale();
      }
      kept.set(key, value, options && { size: Math.min(options.size, kept.maxSize) });
    },
    get size() {
      return kept.size;
    },
  };
}
