/** Caches of answers to callers, by what callers ask for. */
import { LRUCache } from 'lru-cache';

/** Callers that still exist ask more often. */
const KEPT_MS = 3_600_000;
const PURGE_EVERY_MS = 60_000;

/**
 * A bounded cache that also drops what nobody has asked for in the last hour: environments and projects come and go,
 * and an answer keeps the flags of its time in memory.
 */
export class KeptAnswers<V extends object> extends LRUCache<string, V> {
  private purgedAt = performance.now();

  constructor(bounds: LRUCache.OptionsMaxLimit<string, V, unknown> | LRUCache.OptionsSizeLimit<string, V, unknown>) {
    super({ ...bounds, ttl: KEPT_MS, ttlResolution: 0, updateAgeOnGet: true });
  }

  override set(...[key, value, options]: Parameters<LRUCache<string, V>['set']>): this {
    const now = performance.now();
    if (now - this.purgedAt > PURGE_EVERY_MS) {
      this.purgedAt = now;
      this.purgeStale();
    }
    return super.set(key, value, options);
  }
}
