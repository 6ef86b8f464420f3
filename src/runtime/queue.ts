/** The keys that wait for a reconcile, each at most once. */
import type { Backoff } from './backoff.ts';
import type { Clock } from './clock.ts';
import { firstIn } from './first-in.ts';

/**
 * Every key has at most one next run, at the earliest time anybody asked for; asking again can only bring it forward.
 * So a thousand changes within the delay of `addAfter` are one run. A key that is being worked on is not handed out
 * a second time: asked for meanwhile, it runs again afterwards.
 */
export interface Queue {
  /** Run as soon as a worker is free. */
  add(key: string): void;
  /** Run after this time at the latest. */
  addAfter(key: string, ms: number): void;
  /** The next ready key, first come first served; undefined once the queue is closed. Whoever takes must release. */
  take(): Promise<string | undefined>;
  /** The work on a taken key is over. */
  release(key: string): void;
  /** The run of a taken key failed: run again after its back-off, never before `atLeastMs`. */
  retry(key: string, atLeastMs: number): Retry;
  /** The key's failures do not count any more. */
  forget(key: string): void;
  /** How many keys are ready. */
  readonly length: number;
  /** Hands out nothing more. */
  close(): void;
}

export interface Retry {
  /** Failed runs in a row, this one included. */
  readonly failures: number;
  readonly inMs: number;
}

interface Planned {
  readonly at: number;
  /** A failed run was told not to come back before this time; nothing brings it further forward. */
  readonly notBefore: number;
  readonly cancel: () => void;
}

export interface QueueParts {
  readonly clock: Clock;
  readonly backoff: Backoff;
}

/** An empty queue. */
export function createQueue({ clock, backoff }: QueueParts): Queue {
  const ready = firstIn();
  const waiting: ((key: string | undefined) => void)[] = [];
  const working = new Set<string>();
  const askedMeanwhile = new Set<string>();
  const planned = new Map<string, Planned>();
  const failures = new Map<string, number>();
  let closed = false;

  function handOut(): void {
    while (waiting.length > 0 && ready.length > 0) {
      const key = ready.shift();
      if (key !== undefined) working.add(key);
      waiting.shift()?.(key);
    }
  }

  function makeReady(key: string): void {
    planned.delete(key);
    if (working.has(key)) askedMeanwhile.add(key);
    else ready.push(key);
    handOut();
  }

  function plan(key: string, at: number, notBefore: number): void {
    planned.get(key)?.cancel();
    const now = clock.now();
    if (at <= now) makeReady(key);
    else planned.set(key, { at, notBefore, cancel: clock.after(at - now, () => makeReady(key)) });
  }

  function bringForward(key: string, wantedAt: number): void {
    if (closed || ready.has(key) || askedMeanwhile.has(key)) return;
    const present = planned.get(key);
    const notBefore = present?.notBefore ?? Number.NEGATIVE_INFINITY;
    const at = Math.max(wantedAt, notBefore);
    if (present === undefined || at < present.at) plan(key, at, notBefore);
  }

  return {
    add: (key) => bringForward(key, clock.now()),
    addAfter(key, ms) {
      if (!Number.isFinite(ms)) throw new RangeError(`a delay must be a finite number of milliseconds, not ${ms}`);
      bringForward(key, clock.now() + ms);
    },
    take() {
      if (closed) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        waiting.push(resolve);
        handOut();
      });
    },
    release(key) {
      working.delete(key);
      if (askedMeanwhile.delete(key) && !closed) makeReady(key);
    },
    retry(key, atLeastMs) {
      const before = failures.get(key) ?? 0;
      failures.set(key, before + 1);
      // Someone asked during the failed run. Their change deserves a try soon, but not at once: a run that changes
      // its own object before it fails would otherwise spin.
      const waitMs = askedMeanwhile.delete(key) ? Math.min(backoff(before), backoff(0)) : backoff(before);
      const inMs = Math.max(waitMs, atLeastMs);
      const now = clock.now();
      if (!closed) plan(key, now + inMs, now + atLeastMs);
      return { failures: before + 1, inMs };
    },
    forget: (key) => void failures.delete(key),
    get length() {
      return ready.length;
    },
    close() {
      closed = true;
      for (const { cancel } of planned.values()) cancel();
      planned.clear();
      for (const stop of waiting.splice(0)) stop(undefined);
    },
  };
}
