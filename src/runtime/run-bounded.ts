/** Runs a task for each of many items, a bounded number at a time. */
import pLimit from 'p-limit';

export interface BoundedRun {
  readonly concurrency: number;
  /** Called before each item: if it returns false, no further item starts. */
  readonly goOn: () => boolean;
}

/** Starts no item after a failure; rejects with the first failure after the running items have ended. */
export async function runBounded<T>(
  items: readonly T[],
  { concurrency, goOn }: BoundedRun,
  run: (item: T) => Promise<unknown>,
): Promise<void> {
  const limit = pLimit(concurrency);
  const failures: unknown[] = [];
  const runOne = async (item: T): Promise<void> => {
    if (failures.length > 0 || !goOn()) return;
    await run(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(items.map((item) => limit(() => runOne(item))));
  if (failures.length > 0) throw failures[0];
}
