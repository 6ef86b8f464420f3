/** Does long work a few items at a time, so that other requests have their turn. */
import { setImmediate } from 'node:timers/promises';

/** The longest time without a turn for others. */
const SLICE_MS = 5;

export async function collectInSlices<T>(work: Iterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  let endsAt = performance.now() + SLICE_MS;
  for (const item of work) {
    collected.push(item);
    if (performance.now() < endsAt) continue;
    await setImmediate();
    endsAt = performance.now() + SLICE_MS;
  }
  return collected;
}
