/** Warns of addresses with repeated authentication failures. */
import { LRUCache } from 'lru-cache';
import { ownText } from '../../model/text.ts';
import type { Logger } from '../../telemetry/logger.ts';

/** The window in which failures are counted, from the first one on. */
const WINDOW_MS = 60_000;
/** The bound of the map; the least recently used addresses are evicted. */
const MAX_ADDRESSES = 10_000;
const FIRST_LOGGED = 10;

interface FailedSignInsParts {
  readonly logger: Pick<Logger, 'warn'>;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
}

/** The returned function is called for each failure. It warns of the 10th within a minute, the 100th, the 1000th … */
export function createFailedSignIns({ logger, now }: FailedSignInsParts): (from: string | undefined) => void {
  const counts = new LRUCache<string, { failures: number }>({
    max: MAX_ADDRESSES,
    ttl: WINDOW_MS,
    ttlResolution: 0,
    perf: { now },
  });
  return (from) => {
    const address = from ?? 'unknown';
    const count = counts.get(address) ?? { failures: 0 };
    if (count.failures === 0) counts.set(ownText(address), count);
    count.failures += 1;
    if (isRecorded(count.failures)) {
      logger.warn({ address, failures: count.failures, withinMs: WINDOW_MS }, 'authentication: repeated failures');
    }
  };
}

/** Only powers of ten are logged, to bound the number of lines. */
function isRecorded(failures: number): boolean {
  return failures >= FIRST_LOGGED && Number.isInteger(Math.log10(failures));
}
