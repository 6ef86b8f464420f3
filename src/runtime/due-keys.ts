/** The keys of a queue that are due now: ready for a worker, processing, or dirty, which is both. */
import type { Clock } from '../model/clock.ts';
import type { QueueObserver } from '../telemetry/queue-metrics.ts';
import { higher, type Priority, priorityFifo } from './priority-fifo.ts';

export interface DueKeys {
  /**
   * The key becomes ready, or dirty while it is being processed. A key that is due already keeps the higher priority.
   */
  add(key: string, priority: Priority): void;
  /** True while the key has a due run that has not begun. */
  has(key: string): boolean;
  /** Takes the next ready key that may be processed; it counts as processing from then on. */
  next(): string | undefined;
  /** The key is no longer being processed. A dirty key becomes ready. */
  done(key: string): void;
  /** Removes what was added since the key began to be processed; undefined if nothing was added. */
  undirty(key: string): Priority | undefined;
  /** The priority with which the key is being processed. */
  priorityOf(key: string): Priority | undefined;
  /** How long each key has been processed so far. */
  runningMs(): readonly number[];
  /** How many keys are ready. */
  readonly length: number;
}

interface Added {
  readonly priority: Priority;
  readonly at: number;
}

export interface DueKeysParts {
  readonly clock: Clock;
  readonly observer: QueueObserver;
  /** How many keys of low priority may be processed at the same time. */
  readonly maxLow: number;
  /** How many keys may be processed at the same time if the first one has been ready for this long. */
  readonly maxRunning: (waitedMs: number) => number;
}

export function dueKeys({ clock, observer, maxLow, maxRunning }: DueKeysParts): DueKeys {
  const ready = priorityFifo();
  const readyAt = new Map<string, number>();
  const processing = new Map<string, Added>();
  const dirty = new Map<string, Added>();
  let lowRunning = 0;

  /** The waiting time of the key that became ready first. */
  function waitedMs(): number {
    const [first = clock.now()] = readyAt.values();
    return clock.now() - first;
  }

  function makeReady(key: string, { priority, at }: Added): void {
    if (!ready.has(key)) readyAt.set(key, at);
    ready.push(key, priority);
  }

  return {
    add(key, priority) {
      const before = dirty.get(key);
      if (!before && !ready.has(key)) observer.added();
      const added = { priority: higher(priority, before?.priority), at: before?.at ?? clock.now() };
      if (processing.has(key)) dirty.set(key, added);
      else makeReady(key, added);
    },
    has: (key) => ready.has(key) || dirty.has(key),
    next() {
      if (processing.size >= maxRunning(waitedMs())) return undefined;
      const next = ready.shift(lowRunning < maxLow);
      if (next === undefined) return undefined;
      const { key, priority } = next;
      const at = clock.now();
      observer.started(priority, at - (readyAt.get(key) ?? at));
      readyAt.delete(key);
      processing.set(key, { priority, at });
      if (priority === 'low') lowRunning += 1;
      return key;
    },
    done(key) {
      const run = processing.get(key);
      const added = dirty.get(key);
      processing.delete(key);
      dirty.delete(key);
      if (run) observer.done(clock.now() - run.at);
      if (run?.priority === 'low') lowRunning -= 1;
      if (added) makeReady(key, added);
    },
    undirty(key) {
      const priority = dirty.get(key)?.priority;
      dirty.delete(key);
      return priority;
    },
    priorityOf: (key) => processing.get(key)?.priority,
    runningMs: () => [...processing.values()].map(({ at }) => clock.now() - at),
    get length() {
      return ready.length;
    },
  };
}
