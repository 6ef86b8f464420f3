/** Limits how often something happens: a burst at once, then a fixed number per second. */
import type { Clock } from '../model/clock.ts';

export interface TokenBucketParts {
  readonly clock: Clock;
  /** How many may happen at once after a period without any. */
  readonly burst: number;
  readonly perSecond: number;
}

/** Returns a function that takes a token and returns true, or returns false if none is left. */
export function createTokenBucket({ clock, burst, perSecond }: TokenBucketParts): () => boolean {
  let tokens = burst;
  let filledAt = clock.now();
  return () => {
    const now = clock.now();
    tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * perSecond);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
