/** The items of a queue that are due now: ready for a worker, processing, or dirty, which is both. */
import type { Clock } from '../model/clock.ts';
import type { QueueObserver } from '../telemetry/queue-metrics.ts';
import { type Item, merged, queueItems } from './queue-items.ts';

export interface DueItems {
  /**
   * The key becomes ready, or dirty while it is being processed. A key that is due already keeps the higher priority,
   * and its place unless it is raised.
   */
  add(item: Item): void;
  /** True while the key has a due run that has not begun. */
  has(key: string): boolean;
  /** Takes the next ready key that may be processed; it counts as processing from then on. */
  next(): string | undefined;
  /** The key is no longer being processed. A dirty key becomes ready. */
  done(key: string): void;
  /** Removes what was added since the key began to be processed; undefined if nothing was added. */
  undirty(key: string): Item | undefined;
  /** The item with which the key is being processed; its time is the begin. */
  running(key: string): Item | undefined;
  /** How long each key has been processed so far. */
  runningMs(): readonly number[];
  /** How many keys are ready. */
  readonly length: number;
}

export interface DueItemsParts {
  readonly clock: Clock;
  readonly observer: QueueObserver;
  /** How many keys of low priority may be processed at the same time. */
  readonly maxLow: number;
  /** How many keys may be processed at the same time if the next ones have been ready for this long. */
  readonly maxRunning: (waitedMs: number) => number;
}

export function dueItems({ clock, observer, maxLow, maxRunning }: DueItemsParts): DueItems {
  const ready = readyItems();
  const processing = new Map<string, Item>();
  const dirty = new Map<string, Item>();
  let lowRunning = 0;

  return {
    add(item) {
      const { key } = item;
      const before = dirty.get(key);
      if (!before && !ready.has(key)) observer.added();
      if (processing.has(key)) dirty.set(key, merged(item, before));
      else ready.push(item);
    },
    has: (key) => ready.has(key) || dirty.has(key),
    next() {
      const now = clock.now();
      if (processing.size >= maxRunning(now - (ready.firstAt() ?? now))) return undefined;
      const item = ready.shift(lowRunning < maxLow);
      if (item === undefined) return undefined;
      observer.started(item.priority, now - item.at);
      processing.set(item.key, { ...item, at: now });
      if (item.priority === 'low') lowRunning += 1;
      return item.key;
    },
    done(key) {
      const run = processing.get(key);
      const added = dirty.get(key);
      processing.delete(key);
      dirty.delete(key);
      if (run) observer.done(clock.now() - run.at);
      if (run?.priority === 'low') lowRunning -= 1;
      if (added) ready.push(added);
    },
    undirty(key) {
      const item = dirty.get(key);
      dirty.delete(key);
      return item;
    },
    running: (key) => processing.get(key),
    runningMs: () => [...processing.values()].map(({ at }) => clock.now() - at),
    get length() {
      return ready.length;
    },
  };
}

/** If keys of both priorities may be taken, every tenth is a low one, so that high ones never starve them. */
export const MAX_HIGH_IN_A_ROW = 9;

/** Items in two priorities: the high ones come first, each priority in the order of arrival. */
function readyItems() {
  const items = { high: queueItems(), low: queueItems() };
  let highInARow = 0;

  function next(mayBeLow: boolean): Item | undefined {
    const [high, low] = [items.high.first(), mayBeLow ? items.low.first() : undefined];
    return low === undefined || (high !== undefined && highInARow < MAX_HIGH_IN_A_ROW) ? high : low;
  }

  return {
    /** A key that is in the list already keeps its place, or moves to the end of the higher priority. */
    push(item: Item): void {
      const { key, priority } = item;
      if (items.high.get(key) || items[priority].get(key)) return;
      const low = items.low.get(key);
      items.low.delete(key);
      items[priority].set(merged(item, low));
    },
    /** The next item; without `mayBeLow`, the next one of high priority. */
    shift(mayBeLow: boolean): Item | undefined {
      const item = next(mayBeLow);
      if (item === undefined) return undefined;
      items[item.priority].delete(item.key);
      highInARow = item.priority === 'high' && items.low.length > 0 ? highInARow + 1 : 0;
      return item;
    },
    has: (key: string): boolean => (items.high.get(key) ?? items.low.get(key)) !== undefined,
    /** Since when the item that comes next has been ready. */
    firstAt(): number | undefined {
      const [high, low] = [items.high.first(), items.low.first()];
      return high && low ? Math.min(high.at, low.at) : (high ?? low)?.at;
    },
    get length(): number {
      return items.high.length + items.low.length;
    },
  };
}
