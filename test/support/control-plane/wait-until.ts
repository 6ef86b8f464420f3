/** Waits for a condition of the world, with a deadline. */
import { setTimeout as pause } from 'node:timers/promises';

export interface WaitOptions {
  /** What the error says was waited for. */
  readonly what: string;
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/** Asks again until the answer is neither undefined nor false, which it hands on; throws after the deadline. */
export async function waitUntil<T>(
  { what, timeoutMs = 30_000, everyMs = 50 }: WaitOptions,
  ask: () => T | Promise<T>,
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    if (performance.now() > deadline) throw new Error(`still not true after ${timeoutMs} ms: ${what}`);
    await pause(everyMs);
  }
}
