/** A pause between two rounds of work, which ends early when there is something to do. */
import { type Clock, pause } from '../../model/clock.ts';

export interface Rest {
  /** What comes from now on counts for the next rest. */
  begin(): void;
  /** Ends after this time, when woken, or at once if something has come since `begin`. */
  upTo(ms: number, signal: AbortSignal): Promise<void>;
  wake(): void;
}

export function createRest(clock: Clock): Rest {
  let isWoken = false;
  let notify = (): void => undefined;
  return {
    begin() {
      isWoken = false;
    },
    async upTo(ms, signal) {
      if (isWoken) return;
      const woken = new AbortController();
      notify = () => woken.abort();
      await pause(clock, ms, AbortSignal.any([signal, woken.signal]));
    },
    wake() {
      isWoken = true;
      notify();
    },
  };
}
