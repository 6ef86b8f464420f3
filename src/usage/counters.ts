/** Counts evaluations in memory, by flag, environment, application, hour and variant, within a limit. */
import { DAY_MS } from '../model/clock.ts';
import type { EdgeName, EvaluationCounts } from './usage.ts';

/** Evaluations of one flag in one report. */
export interface Count extends EvaluationCounts {
  readonly flagUid: string;
  readonly environment: string;
  readonly appName: string;
  /** The time that decides the hour, in ms since 1970. */
  readonly at: number;
  /** When the report arrived, in ms since 1970. */
  readonly arrivedAt: number;
  readonly variants: ReadonlyMap<string, number>;
  /** The edge that the report came through; absent: none. */
  readonly via?: EdgeName | undefined;
}

/** The sum of the counts of one hour. Times of arrival, in ms since 1970; undefined: never. */
export interface Counter extends Pick<Count, 'flagUid' | 'environment' | 'appName'> {
  /** The start of the hour. */
  readonly at: number;
  yes: number;
  no: number;
  readonly variants: Map<string, number>;
  firstAt: number;
  lastAt: number;
  /** The edge of the last report; absent: none. */
  via?: EdgeName | undefined;
  firstYesAt?: number;
  lastYesAt?: number;
  firstNoAt?: number;
  lastNoAt?: number;
}

/** The name for applications, and for variants of one counter, above the limits. */
export const OTHER = 'other';
export const HOUR_MS = 3_600_000;
const MAX_VARIANTS = 100;

export interface CountersParts {
  /** The limit of counters and their variants. */
  readonly maxKeys: number;
  /** The limit of different counters within an hour, each of which is a row of the database. */
  readonly maxKeysPerHour: number;
  /** Called with the number of evaluations that are lost because the limit is reached. */
  readonly onDropped: (evaluations: number) => void;
}

export interface Counters {
  add(count: Count): void;
  /** The number of counters and their variants. */
  readonly size: number;
  /** Returns the counters, and removes them. */
  take(): readonly Counter[];
}

export function createCounters({ maxKeys, maxKeysPerHour, onDropped }: CountersParts): Counters {
  let hours = new Map<number, Map<string, Counter>>();
  const budget = createHourlyBudget(maxKeysPerHour);
  let size = 0;

  function dropHour(oldest: number): void {
    const dropped = [...(hours.get(oldest)?.values() ?? [])];
    hours.delete(oldest);
    size -= countedKeys(dropped);
    onDropped(countedEvaluations(dropped));
  }

  const present = (at: number, count: Count) => hours.get(at)?.get(keyOf(count));

  /** Undefined if memory is at its limit. */
  function counterFor(count: Count): Counter | undefined {
    const at = count.at - (count.at % HOUR_MS);
    const found = present(at, count);
    if (found !== undefined) return found;
    if (size < maxKeys && budget.takes(count, at)) return insert(count, at);
    return otherFor({ ...count, appName: OTHER }, at);
  }

  /** The counter of all applications above the limits; an older hour is dropped to make room for it. */
  function otherFor(other: Count, at: number): Counter | undefined {
    const found = present(at, other);
    if (found !== undefined) return found;
    if (size < maxKeys) return insert(other, at);
    const oldest = Math.min(...hours.keys());
    if (oldest >= at) return undefined;
    dropHour(oldest);
    return insert(other, at);
  }

  function insert(count: Count, at: number): Counter {
    const counter = newCounter(count, at);
    const hour = hours.get(at) ?? new Map<string, Counter>();
    hours.set(at, hour.set(keyOf(count), counter));
    size += 1;
    return counter;
  }

  return {
    add(count) {
      const counter = counterFor(count);
      if (counter === undefined) return onDropped(count.yes + count.no);
      const before = counter.variants.size;
      addTo(counter, count, size < maxKeys);
      size += counter.variants.size - before;
    },
    get size() {
      return size;
    },
    take() {
      const taken = [...hours.values()].flatMap((hour) => [...hour.values()]);
      hours = new Map();
      size = 0;
      return taken;
    },
  };
}

/** The number of the counters and their variants. */
export function countedKeys(counters: readonly Counter[]): number {
  return counters.reduce((sum, { variants }) => sum + 1 + variants.size, 0);
}

export function countedEvaluations(counters: readonly Counter[]): number {
  return counters.reduce((sum, { yes, no }) => sum + yes + no, 0);
}

/** Limits the number of different counters within an hour of arrival, over all flushes. */
function createHourlyBudget(maxKeys: number) {
  const keys = new Set<string>();
  let hour = 0;
  return {
    takes(count: Count, at: number): boolean {
      const present = Math.floor(count.arrivedAt / HOUR_MS);
      if (present !== hour) keys.clear();
      hour = present;
      const key = `${at}/${keyOf(count)}`;
      if (keys.size < maxKeys) keys.add(key);
      return keys.has(key);
    },
  };
}

function keyOf({ flagUid, environment, appName }: Pick<Count, 'flagUid' | 'environment' | 'appName'>): string {
  return `${flagUid}/${environment}/${appName}`;
}

function newCounter({ flagUid, environment, appName, arrivedAt }: Count, at: number): Counter {
  const sums = { yes: 0, no: 0, variants: new Map<string, number>() };
  return { flagUid, environment, appName, at, ...sums, firstAt: arrivedAt, lastAt: arrivedAt };
}

function addTo(counter: Counter, { yes, no, variants, arrivedAt, via }: Count, mayGrow: boolean): void {
  counter.yes += yes;
  counter.no += no;
  // The clock may be set back.
  counter.firstAt = Math.min(counter.firstAt, arrivedAt);
  if (arrivedAt >= counter.lastAt) Object.assign(counter, { lastAt: arrivedAt, via });
  if (yes > 0) {
    counter.firstYesAt = Math.min(counter.firstYesAt ?? arrivedAt, arrivedAt);
    counter.lastYesAt = Math.max(counter.lastYesAt ?? 0, arrivedAt);
  }
  if (no > 0) {
    counter.firstNoAt = Math.min(counter.firstNoAt ?? arrivedAt, arrivedAt);
    counter.lastNoAt = Math.max(counter.lastNoAt ?? 0, arrivedAt);
  }
  addVariants(counter.variants, variants, mayGrow);
}

function addVariants(sums: Map<string, number>, variants: Count['variants'], mayGrow: boolean): void {
  for (const [variant, evaluations] of variants) {
    const isBeyond = !sums.has(variant) && (!mayGrow || sums.size >= MAX_VARIANTS);
    const name = isBeyond ? OTHER : variant;
    sums.set(name, (sums.get(name) ?? 0) + evaluations);
  }
}

/** Clocks of clients may be wrong: a report with a time further away counts at its arrival. */
const MAX_AGE_MS = DAY_MS;
const MAX_AHEAD_MS = 60_000;

/** The time that decides the hour of a report, in ms since 1970. */
export function countedAt(at: number | undefined, arrivedAt: number): number {
  const isPlausible = at !== undefined && at > arrivedAt - MAX_AGE_MS && at < arrivedAt + MAX_AHEAD_MS;
  return isPlausible ? at : arrivedAt;
}
