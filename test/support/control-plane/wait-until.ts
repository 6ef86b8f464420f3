/** Waits for a condition with a deadline. */
import { setTimeout as pause } from 'node:timers/promises';

export interface WaitOptions {
  /** The condition in the words of the error message. */
  readonly what: string;
  /** Only a defect reaches it: the default is long, for a slow machine. */
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/** Polls until the result is none of undefined, null and false, and returns it. Throws after the deadline. */
export async function waitUntil<T>(
  { what, timeoutMs = 120_000, everyMs = 50 }: WaitOptions,
  ask: () => T | Promise<T>,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false)
      return answer as Exclude<T, undefined | null | false>;
    if (performance.now() > deadline) throw new Error(`still not true after ${timeoutMs} ms: ${what}`);
    await pause(everyMs);
  }
}
