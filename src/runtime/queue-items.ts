/** The items of a queue in an order, at most one for each key. */
import TinyQueue from 'tinyqueue';

/** `high`: a user may wait for this one object. `low`: one of many objects that start, or a wide change, enqueues. */
export type Priority = 'high' | 'low';

/** A run that a key must have. */
export interface Item {
  readonly key: string;
  readonly priority: Priority;
  /** The time since which, or from which on, the run is due. */
  readonly at: number;
  /** Which object or event requested the run. */
  readonly reason: string;
}

/** One item for two requests: at the earlier time, with the higher priority, and the reason of that priority. */
export function merged(one: Item, other: Item = one): Item {
  const isFirst = one.priority === other.priority ? one.at < other.at : one.priority === 'high';
  return { ...(isFirst ? one : other), at: Math.min(one.at, other.at) };
}

export function higher(one: Priority, other: Priority = 'low'): Priority {
  return one === 'high' ? one : other;
}

export interface QueueItems<T extends Item> {
  get(key: string): T | undefined;
  /** Replaces the item of the key. Lower ranks come first, and items of the same rank in the order of their arrival. */
  set(item: T, rank?: number): void;
  delete(key: string): void;
  first(): T | undefined;
  clear(): void;
  readonly length: number;
}

interface Ranked<T> {
  readonly item: T;
  readonly rank: number;
  readonly arrival: number;
}

/** Outdated items are dropped when they come first, or when they outnumber the valid ones. */
const MIN_OUTDATED = 64;

export function queueItems<T extends Item>(): QueueItems<T> {
  const items = new Map<string, T>();
  let order = new TinyQueue<Ranked<T>>([], byRank);
  let arrivals = 0;
  const isValid = ({ item }: Ranked<T>): boolean => items.get(item.key) === item;

  return {
    get: (key) => items.get(key),
    set(item, rank = 0) {
      items.set(item.key, item);
      arrivals += 1;
      order.push({ item, rank, arrival: arrivals });
      if (order.length > Math.max(MIN_OUTDATED, 2 * items.size)) {
        order = new TinyQueue(order.data.filter(isValid), byRank);
      }
    },
    delete: (key) => void items.delete(key),
    first() {
      for (let first = order.peek(); first !== undefined; first = order.peek()) {
        if (isValid(first)) return first.item;
        order.pop();
      }
      return undefined;
    },
    clear: () => items.clear(),
    get length() {
      return items.size;
    },
  };
}

function byRank<T>(one: Ranked<T>, other: Ranked<T>): number {
  return one.rank - other.rank || one.arrival - other.arrival;
}
