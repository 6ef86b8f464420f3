/** Bounds how often something happens: some at once, then so many in each second. */
import type { Clock } from '../model/clock.ts';

export interface TokenBucketParts {
  readonly clock: Clock;
  /** How many may happen at once after a quiet time. */
  readonly burst: number;
  readonly perSecond: number;
}

/** Gives back a function that takes a token and answers true, or answers false when none is left. */
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
