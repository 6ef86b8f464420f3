/** Waits for what the leader adds to a new object. */
import { Refusal } from '../errors.ts';
import type { Services } from './services.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * `act` gets a signal that aborts when the time is over or this replica stops; `late` gives the error for the first.
 */
export async function untilLeaderActs<T>(
  { ending, timings }: Pick<Services, 'ending' | 'timings'>,
  act: (signal: AbortSignal) => Promise<T>,
  late: () => Refusal,
): Promise<T> {
  const timely = AbortSignal.timeout(timings.tokenWaitMs);
  try {
    return await act(AbortSignal.any([ending, timely]));
  } catch (error) {
    if (ending.aborted) {
      const message = 'This replica is stopping, and nothing was created. Send the same request again.';
      throw new Refusal('unavailable', message, { retryAfterSeconds: 1 });
    }
    if (timely.aborted) throw late();
    throw error;
  }
}

/** The error if the leader has not created `what` in time. */
export function nothingCreated(what: string): Refusal {
  const message = `No replica has ${what} in time, so nothing was created. Send the same request again.`;
  return new Refusal('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
