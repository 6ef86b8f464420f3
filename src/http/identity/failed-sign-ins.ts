/** Tells of addresses that send wrong tokens again and again. */
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../telemetry/logger.ts';

/** Failures count together for so long after the first of them. */
const WINDOW_MS = 60_000;
/** Beyond this the addresses that were quiet for longest are forgotten. */
const MOST_ADDRESSES = 10_000;
const FIRST_TOLD = 10;

interface FailedSignInsParts {
  readonly logger: Pick<Logger, 'warn'>;
  /** In ms, from anywhere. */
  readonly now: () => number;
}

/** Gives a function to call for each failure; it warns of the 10th within a minute, the 100th, the 1000th … */
export function createFailedSignIns({ logger, now }: FailedSignInsParts) {
  const counts = new LRUCache<string, { failures: number }>({
    max: MOST_ADDRESSES,
    ttl: WINDOW_MS,
    ttlResolution: 0,
    perf: { now },
  });
  return function countFailure(from: string | undefined): void {
    const address = from ?? 'unknown';
    const count = counts.get(address) ?? { failures: 0 };
    if (count.failures === 0) counts.set(address, count);
    count.failures += 1;
    if (isTold(count.failures)) {
      logger.warn({ address, failures: count.failures, withinMs: WINDOW_MS }, 'wrong tokens keep coming');
    }
  };
}

/** A power of ten, so that a flood is a handful of lines. */
function isTold(failures: number): boolean {
  return failures >= FIRST_TOLD && Number.isInteger(Math.log10(failures));
}
