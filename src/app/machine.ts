/** What a process takes from its machine: clocks and chance. The simulation replaces all of it. */
import type { Clock } from '../model/clock.ts';
import { suspendAwareClock, systemClock } from '../runtime/clock.ts';

export interface Machine {
  readonly clock: Clock;
  /** Goes on while the machine is suspended; the clock of the election. */
  readonly suspendAwareClock: Clock;
  /** Ms since 1970. */
  readonly wallTime: () => number;
  /** From 0 (included) to 1 (excluded). */
  readonly random: () => number;
}

export const systemMachine: Machine = {
  clock: systemClock,
  suspendAwareClock,
  wallTime: Date.now,
  random: Math.random,
};
