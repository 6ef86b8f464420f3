/** Trying until it works: what the history waits for is told once when it begins to fail, and once when it works again. */
import { type Clock, pause } from '../kube/pause.ts';

export interface Persistence {
  readonly clock: Clock;
  readonly backoff: (failures: number) => number;
  readonly signal: AbortSignal;
}

export interface Attempts {
  /** False: this failure does not pass by itself. */
  readonly passes: (error: unknown) => boolean;
  /** Of the first failure in a row. */
  readonly onFailure: (error: unknown) => void;
  readonly onRecovery: () => void;
}

/** Rejects with what does not pass, or once the signal has aborted. */
export async function persistently<V>(
  { clock, backoff, signal }: Persistence,
  { passes, onFailure, onRecovery }: Attempts,
  attempt: () => Promise<V>,
): Promise<V> {
  let failures = 0;
  const failed = async (error: unknown): Promise<void> => {
    if (signal.aborted || !passes(error)) throw error;
    if (failures === 0) onFailure(error);
    await pause(clock, backoff(failures), signal);
    failures += 1;
  };
  for (;;) {
    const outcome = await outcomeOf(attempt);
    if ('error' in outcome) {
      await failed(outcome.error);
      continue;
    }
    if (failures > 0) onRecovery();
    return outcome.value;
  }
}

async function outcomeOf<V>(attempt: () => Promise<V>): Promise<{ readonly value: V } | { readonly error: unknown }> {
  try {
    return { value: await attempt() };
  } catch (error) {
    return { error };
  }
}
