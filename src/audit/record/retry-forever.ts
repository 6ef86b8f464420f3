/** Retries until success; reports the first failure in a row and the recovery. */
import { type Clock, pause } from '../../model/clock.ts';

export interface RetryParts {
  readonly clock: Clock;
  readonly backoff: (failures: number) => number;
  readonly signal: AbortSignal;
}

export interface Attempts {
  /** Whether the failure is temporary. */
  readonly isTemporary: (error: unknown) => boolean;
  /** Called for the first failure in a row. */
  readonly onFailure: (error: unknown) => void;
  readonly onRecovery: () => void;
}

/** Rejects with an error that is not temporary, or after the signal has aborted. */
export async function retryForever<V>(
  { clock, backoff, signal }: RetryParts,
  { isTemporary, onFailure, onRecovery }: Attempts,
  attempt: () => Promise<V>,
): Promise<V> {
  let failures = 0;
  const failed = async (error: unknown): Promise<void> => {
    if (signal.aborted || !isTemporary(error)) throw error;
    if (failures === 0) onFailure(error);
    await pause(clock, backoff(failures), signal);
    failures += 1;
  };
  for (;;) {
    const [outcome] = await Promise.allSettled([Promise.try(attempt)]);
    if (outcome.status === 'rejected') {
      await failed(outcome.reason);
      continue;
    }
    if (failures > 0) onRecovery();
    return outcome.value;
  }
}
