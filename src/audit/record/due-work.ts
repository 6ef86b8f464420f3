/** Work that is due from time to time, is tried again after a failure, and says for how long it is overdue. */
import { type Clock, pause } from '../../model/clock.ts';

export interface DueWorkParts {
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly lookEveryMs: number;
  /** Looks if something is due, and does it; a failure counts as due. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** `isFirst`: of failures in a row. */
  readonly onFailure: (error: unknown, isFirst: boolean) => void;
  readonly onRecovery: () => void;
}

export interface DueWork {
  /** Works until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** For how long something is due and could not be done, in ms; undefined: another replica does it. */
  readonly overdueMs: number | undefined;
}

export function createDueWork(parts: DueWorkParts): DueWork {
  const { clock, now, lookEveryMs, work, onFailure, onRecovery } = parts;
  let isRunning = false;
  let failingSince: number | undefined;

  async function look(signal: AbortSignal): Promise<void> {
    const startedAt = now();
    try {
      await work(signal);
      if (failingSince !== undefined) onRecovery();
      failingSince = undefined;
    } catch (error) {
      if (signal.aborted) return;
      const isFirst = failingSince === undefined;
      failingSince ??= startedAt;
      onFailure(error, isFirst);
    }
  }

  return {
    async run(signal) {
      isRunning = true;
      failingSince = undefined;
      while (!signal.aborted) {
        await look(signal);
        await pause(clock, lookEveryMs, signal);
      }
      isRunning = false;
    },
    get overdueMs() {
      if (!isRunning) return undefined;
      return failingSince === undefined ? 0 : now() - failingSince;
    },
  };
}
