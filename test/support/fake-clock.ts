/** A clock that stands still until a test moves it. */
import type { Clock } from '../../src/model/clock.ts';

export interface FakeClock extends Clock {
  /**
   * Advances the clock, wakes all waiters that are due in the order of their times, and lets them finish what they can.
   */
  advance(ms: number): Promise<void>;
  /** Advances the clock without waking any waiter, as a long computation does. */
  pass(ms: number): void;
  /** The number of waiters. */
  readonly pending: number;
}

/**
 * Resolves when all work that waits only for promises has run, and work that waits for its turn of the event loop
 * (src/runtime/turns.ts): a slow machine may end a turn at any time.
 */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** A clock at 0. */
export function fakeClock(): FakeClock {
  const alarms = new Set<{ readonly at: number; readonly wake: () => void }>();
  let now = 0;

  function nextDue(end: number) {
    const due = [...alarms].filter((alarm) => alarm.at <= end);
    return due.sort((one, other) => one.at - other.at)[0];
  }

  return {
    now: () => now,
    after(ms, wake) {
      const alarm = { at: now + Math.max(0, ms), wake };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
    async advance(ms) {
      const end = now + ms;
      await settled();
      for (let alarm = nextDue(end); alarm !== undefined; alarm = nextDue(end)) {
        alarms.delete(alarm);
        now = Math.max(now, alarm.at);
        alarm.wake();
        await settled();
      }
      now = Math.max(now, end);
    },
    pass(ms) {
      now += ms;
    },
    get pending() {
      return alarms.size;
    },
  };
}
