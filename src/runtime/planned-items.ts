/** The items of a queue that become due at a later time. */
import type { Clock } from '../model/clock.ts';
import { type Item, merged, queueItems } from './queue-items.ts';

export interface PlannedItem extends Item {
  /** A failed run must not be repeated before this time: no call moves it to an earlier time. */
  readonly notBefore: number;
}

export interface PlannedItems {
  /** Replaces the item of the key. */
  set(item: PlannedItem): void;
  /** The key becomes due at the time of the item at the latest, with at least its priority. */
  bringForward(item: Item): void;
  clear(): void;
}

/** `onDue` is called at once for a time that is not in the future. */
export function plannedItems(clock: Clock, onDue: (item: Item) => void): PlannedItems {
  const planned = queueItems<PlannedItem>();
  // One timer for all keys, because a timer takes more memory than a key.
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  function set(item: PlannedItem): void {
    if (item.at <= clock.now()) makeDue(item);
    else planned.set(item, item.at);
    wakeAtFirst();
  }

  function makeDue({ key, priority, reason }: PlannedItem): void {
    planned.delete(key);
    onDue({ key, priority, reason, at: clock.now() });
  }

  function wakeAtFirst(): void {
    const at = planned.first()?.at;
    if (timer?.at === at) return;
    timer?.cancel();
    timer = at === undefined ? undefined : { at, cancel: clock.after(Math.max(0, at - clock.now()), fire) };
  }

  function fire(): void {
    timer = undefined;
    for (let first = planned.first(); first && first.at <= clock.now(); first = planned.first()) makeDue(first);
    wakeAtFirst();
  }

  return {
    set,
    bringForward(item) {
      const present = planned.get(item.key);
      const notBefore = present?.notBefore ?? Number.NEGATIVE_INFINITY;
      const next = merged({ ...item, at: Math.max(item.at, notBefore) }, present);
      if (next.at !== present?.at || next.priority !== present.priority) set({ ...next, notBefore });
    },
    clear() {
      planned.clear();
      wakeAtFirst();
    },
  };
}
