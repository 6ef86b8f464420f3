/** The keys of a queue that become due at a later time, each at most once. */
import type { Clock } from '../model/clock.ts';
import { higher, type Priority } from './priority-fifo.ts';

export interface Plan {
  readonly at: number;
  /** A failed run must not come back before this time: no call brings it further forward. */
  readonly notBefore: number;
  readonly priority: Priority;
}

export interface PlannedKeys {
  /** Takes the place of the plan that the key has. */
  set(key: string, plan: Plan): void;
  /** The key becomes due at this time at the latest, with this priority at least. */
  bringForward(key: string, at: number, priority: Priority): void;
  clear(): void;
}

/** `onDue` is called at once for a time that is not in the future. */
export function plannedKeys(clock: Clock, onDue: (key: string, priority: Priority) => void): PlannedKeys {
  const planned = new Map<string, { plan: Plan; readonly cancel: () => void }>();

  function set(key: string, plan: Plan): void {
    planned.get(key)?.cancel();
    planned.delete(key);
    const leftMs = plan.at - clock.now();
    if (leftMs > 0) planned.set(key, { plan, cancel: clock.after(leftMs, () => fire(key)) });
    else onDue(key, plan.priority);
  }

  function fire(key: string): void {
    const due = planned.get(key);
    planned.delete(key);
    if (due) onDue(key, due.plan.priority);
  }

  return {
    set,
    bringForward(key, wantedAt, wanted) {
      const present = planned.get(key);
      const notBefore = present?.plan.notBefore ?? Number.NEGATIVE_INFINITY;
      const at = Math.max(wantedAt, notBefore);
      const priority = higher(wanted, present?.plan.priority);
      if (present && at >= present.plan.at) present.plan = { ...present.plan, priority };
      else set(key, { at, notBefore, priority });
    },
    clear() {
      for (const { cancel } of planned.values()) cancel();
      planned.clear();
    },
  };
}
