/** Does long work a few items at a time, so that other requests have their turn. */
import { setImmediate } from 'node:timers/promises';

/** The longest time without a turn for others. */
const SLICE_MS = 5;

/** Asked after each item: undefined while there is time, else resolves when others have had their turn. */
export function createTurns(): () => Promise<void> | undefined {
  let endsAt = performance.now() + SLICE_MS;
  const letOthers = async () => {
    await setImmediate();
    endsAt = performance.now() + SLICE_MS;
  };
  return () => (performance.now() < endsAt ? undefined : letOthers());
}

export async function collectInSlices<T>(work: Iterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  const turn = createTurns();
  for (const item of work) {
    collected.push(item);
    const others = turn();
    if (others !== undefined) await others;
  }
  return collected;
}
