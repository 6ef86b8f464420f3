/** Reads the rows of a state document one by one, and lets other requests be served meanwhile. */

/**
 * Called after each row, as a document can have a large number of them. Undefined: the work may continue; otherwise
 * resolves in a later turn of the event loop.
 */
export type Pause = () => Promise<void> | undefined;

export async function eachRow<T>(
  rows: readonly T[] | null | undefined,
  pause: Pause,
  take: (row: T, index: number) => void,
): Promise<void> {
  for (const [index, row] of (rows ?? []).entries()) {
    take(row, index);
    const turn = pause();
    if (turn !== undefined) await turn;
  }
}
