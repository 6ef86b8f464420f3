/** The keys that wait for a reconcile, each at most once. The names are those of client-go's workqueue. */

import type { Clock } from '../model/clock.ts';
import type { QueueObserver } from '../telemetry/queue-metrics.ts';
import type { Backoff } from './backoff.ts';
import { dueItems } from './due-items.ts';
import { plannedItems } from './planned-items.ts';
import { higher, type Item, type Priority } from './queue-items.ts';

/**
 * Every key has at most one next run, at the earliest time and with the highest priority that any caller asked for. So
 * a thousand changes within the delay of `addAfter` are one run. A key that is being processed is not handed out a
 * second time: if it is added meanwhile, it is dirty and runs again afterwards.
 */
export interface Queue {
  /** Runs the key as soon as a worker is free. */
  add(key: string, request?: RunRequest): void;
  /** Runs the key after this time at the latest. */
  addAfter(key: string, ms: number, request?: RunRequest): void;
  /**
   * Called after the run of a key failed: runs it again after its backoff, never before `atLeastMs`, with the priority
   * of that run.
   */
  addRateLimited(key: string, atLeastMs: number): Retry;
  /** Returns the next ready key; undefined once the queue is shut down. The caller must call `done` for the key. */
  get(): Promise<string | undefined>;
  /** The reason of the run of a key that `get` returned. */
  reasonOf(key: string): string;
  /** The run of the key has ended. */
  done(key: string): void;
  /** Resets the failures of the key. */
  forget(key: string): void;
  /** How many keys are ready. */
  readonly length: number;
  /** Hands out no more keys. */
  shutDown(): void;
}

export interface RunRequest {
  /** By default `high`. */
  readonly priority?: Priority;
  /** Which object or event requests the run. */
  readonly reason?: string;
}

export interface Retry {
  /** The number of failed runs in a row, including this one. */
  readonly failures: number;
  readonly inMs: number;
}

export interface QueueParts {
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly observer: QueueObserver;
  /** How many keys of low priority may be processed at the same time; absent: as many as there are workers. */
  readonly maxLow?: number;
  /**
   * How many keys may be processed at the same time if the first one has been ready for this long; at least 1. The
   * default is as for `maxLow`.
   */
  readonly maxRunning?: (waitedMs: number) => number;
}

const UNKNOWN = 'unknown';
const UNBOUNDED = Number.POSITIVE_INFINITY;

/** An empty queue. */
export function createQueue({
  clock,
  backoff,
  observer,
  maxLow = UNBOUNDED,
  maxRunning = () => UNBOUNDED,
}: QueueParts): Queue {
  const due = dueItems({ clock, observer, maxLow, maxRunning });
  const workers: ((key: string | undefined) => void)[] = [];
  const failures = new Map<string, number>();
  let isShutDown = false;
  observer.observe(() => ({ depth: isShutDown ? 0 : due.length, runningMs: due.runningMs() }));

  const planned = plannedItems(clock, makeDue);

  function makeDue(item: Item): void {
    due.add(item);
    dispatch();
  }

  function dispatch(): void {
    while (workers.length > 0 && !isShutDown) {
      const key = due.next();
      if (key === undefined) return;
      workers.shift()?.(key);
    }
  }

  function bringForward(key: string, at: number, { priority = 'high', reason = UNKNOWN }: RunRequest): void {
    if (isShutDown) return;
    const item = { key, at, priority, reason };
    if (due.has(key)) makeDue({ ...item, at: clock.now() });
    else planned.bringForward(item);
  }

  return {
    add: (key, request = {}) => bringForward(key, clock.now(), request),
    addAfter(key, ms, request = {}) {
      if (!Number.isFinite(ms)) throw new RangeError(`a delay must be a finite number of milliseconds, not ${ms}`);
      bringForward(key, clock.now() + ms, request);
    },
    addRateLimited(key, atLeastMs) {
      observer.retried();
      const before = failures.get(key) ?? 0;
      failures.set(key, before + 1);
      const added = due.undirty(key);
      // A change during the failed run justifies an early retry, but not an immediate one: otherwise, a run that
      // changes its own object before it fails would run without a pause.
      const waitMs = added ? Math.min(backoff(before), backoff(0)) : backoff(before);
      const inMs = Math.max(waitMs, atLeastMs);
      const priority = higher(due.running(key)?.priority ?? 'high', added?.priority);
      const now = clock.now();
      const reason = added?.reason ?? 'retry';
      if (!isShutDown) planned.set({ key, at: now + inMs, notBefore: now + atLeastMs, priority, reason });
      return { failures: before + 1, inMs };
    },
    get() {
      if (isShutDown) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        workers.push(resolve);
        dispatch();
      });
    },
    reasonOf: (key) => due.running(key)?.reason ?? UNKNOWN,
    done(key) {
      if (isShutDown) due.undirty(key);
      due.done(key);
      dispatch();
    },
    forget: (key) => void failures.delete(key),
    get length() {
      return due.length;
    },
    shutDown() {
      isShutDown = true;
      planned.clear();
      for (const stop of workers.splice(0)) stop(undefined);
    },
  };
}
