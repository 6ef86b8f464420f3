/** Asks a server about each of many items, a bounded number at a time. */
import { runBounded } from '../../src/runtime/run-bounded.ts';

const CONCURRENCY = 8;

/** Starts no item after a failure, and rejects with the first one. Returns the results in the order of the items. */
export async function mapBounded<T, R>(
  items: readonly T[],
  ask: (item: T) => Promise<R>,
  concurrency = CONCURRENCY,
): Promise<readonly R[]> {
  const results: R[] = [];
  await runBounded([...items.entries()], { concurrency, goOn: () => true }, async ([index, item]) => {
    results[index] = await ask(item);
  });
  return results;
}
