/** Time for what has to be seen before a moment of the wall clock. */

/**
 * Repeats an attempt, each time with four times as much time, until it was in time: a machine that does other work is
 * slower. `attempt` resolves with undefined if it was too late.
 */
export async function longEnough<T>(attempt: (ms: number) => Promise<T | undefined>): Promise<T> {
  for (let ms = 3000; ; ms *= 4) {
    const found = await attempt(ms);
    if (found !== undefined) return found;
  }
}
