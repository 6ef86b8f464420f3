/** The keys of a queue that become due at a later time, each at most once. */
import TinyQueue from 'tinyqueue';
import type { Clock } from '../model/clock.ts';
import { higher, type Priority } from './priority-fifo.ts';

export interface Plan {
  readonly at: number;
  /** A failed run must not be repeated before this time: no call moves it to an earlier time. */
  readonly notBefore: number;
  readonly priority: Priority;
}

export interface PlannedKeys {
  /** Replaces the plan of the key. */
  set(key: string, plan: Plan): void;
  /** The key becomes due at this time at the latest, with at least this priority. */
  bringForward(key: string, at: number, priority: Priority): void;
  clear(): void;
}

interface Timed {
  readonly key: string;
  readonly at: number;
}

/** Outdated times are dropped when they come first, or when they outnumber the valid ones. */
const MIN_TIMES = 64;

/** `onDue` is called at once for a time that is not in the future. */
export function plannedKeys(clock: Clock, onDue: (key: string, priority: Priority) => void): PlannedKeys {
  const planned = new Map<string, Plan>();
  const holds = ({ key, at }: Timed): boolean => planned.get(key)?.at === at;
  let times = new TinyQueue<Timed>([], earlier);
  // One timer for all keys, because a timer takes more memory than a key.
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  function set(key: string, plan: Plan): void {
    planned.delete(key);
    if (plan.at <= clock.now()) onDue(key, plan.priority);
    else {
      planned.set(key, plan);
      times.push({ key, at: plan.at });
    }
    wakeAtFirst();
  }

  function firstTime(): Timed | undefined {
    if (times.length > Math.max(MIN_TIMES, 2 * planned.size)) times = new TinyQueue(times.data.filter(holds), earlier);
    for (let first = times.peek(); first !== undefined; first = times.peek()) {
      if (holds(first)) return first;
      times.pop();
    }
    return undefined;
  }

  function wakeAtFirst(): void {
    const at = firstTime()?.at;
    if (timer?.at === at) return;
    timer?.cancel();
    timer = at === undefined ? undefined : { at, cancel: clock.after(Math.max(0, at - clock.now()), fire) };
  }

  function fire(): void {
    timer = undefined;
    for (let first = firstTime(); first !== undefined && first.at <= clock.now(); first = firstTime()) {
      const { key } = first;
      const priority = higher('low', planned.get(key)?.priority);
      planned.delete(key);
      onDue(key, priority);
    }
    wakeAtFirst();
  }

  return {
    set,
    bringForward(key, wantedAt, wanted) {
      const present = planned.get(key);
      const notBefore = present?.notBefore ?? Number.NEGATIVE_INFINITY;
      const at = Math.max(wantedAt, notBefore);
      const priority = higher(wanted, present?.priority);
      if (present && at >= present.at) planned.set(key, { ...present, priority });
      else set(key, { at, notBefore, priority });
    },
    clear() {
      planned.clear();
      wakeAtFirst();
    },
  };
}

function earlier(one: Timed, other: Timed): number {
  return one.at - other.at;
}
