/** Turns of the event loop: long work is done in parts, so that requests do not wait for all of it. */
import { setImmediate } from 'node:timers/promises';

/** The longest time that all long work together takes in one turn. */
const MAX_TURN_MS = 5;

/** The event loop has one turn at a time, for all work together. */
let endsAt = 0;
let next: Promise<void> | undefined;

/** Called after each part of long work. Undefined: the work may continue; otherwise resolves in the next turn. */
export function nextTurn(): Promise<void> | undefined {
  const now = performance.now();
  if (next === undefined) {
    endsAt = now + MAX_TURN_MS;
    next = setImmediate().then(() => {
      next = undefined;
    });
  }
  return now < endsAt ? undefined : next;
}

let line: Promise<void> = Promise.resolve();

/** Resolves in a turn that no other caller gets: for work that may take all of its time, also after it has returned. */
export function ownTurn(): Promise<void> {
  line = line.then(() => setImmediate());
  return line;
}

/** A request that works in turns. */
interface Worker {
  /** Its place among all that have worked in turns. */
  readonly place: number;
  /** The time that its parts have taken so far. */
  usedMs: number;
}

interface Waiting {
  readonly worker: Worker;
  readonly begin: () => void;
}

/** Requests whose work waits for a turn. */
const waiting: Waiting[] = [];
/** The part that has begun last, until the next part or turn begins. */
let working: { readonly worker: Worker; readonly since: number } | undefined;
/** When the present turn ends for the work of requests. Undefined: none of them works. */
let requestsEndAt: number | undefined;
let places = 0;

/** A rule that says who gets a turn, and the time that it has given so far. */
interface TurnOrder {
  usedMs: number;
  readonly isBefore: (one: Worker, other: Worker) => boolean;
}

const byPlace: TurnOrder = { usedMs: 0, isBefore: (one, other) => one.place < other.place };
const byTime: TurnOrder = { usedMs: 0, isBefore: (one, other) => one.usedMs < other.usedMs };
let order = byPlace;

/** Undefined: the next part of the work may begin, without an `await` before it; otherwise resolves when it may. */
export type Turn = () => Promise<void> | undefined;

/**
 * The turns of one request, whose parts may take long. Of all requests that wait, one gets each turn, and works until
 * the turn ends, so many at once delay others no longer than one does. Half of the time is for the one that has used
 * the least time so far, so short ones pass long ones. The other half is for the one that came first, so none waits for
 * ever. `leave` throws if nobody waits for the work any more.
 */
export function turnsOfRequest(leave: () => void = () => {}): Turn {
  places += 1;
  const worker: Worker = { place: places, usedMs: 0 };
  return () => {
    leave();
    const now = performance.now();
    const hasTurn = working?.worker === worker;
    charge(now);
    requestsEndAt ??= beginTurn(now);
    if (now >= requestsEndAt || (waiting.length > 0 && !hasTurn)) {
      if (waiting.length === 0) forgetOrders();
      void setImmediate().then(continueTurn);
      return new Promise<void>((begin) => waiting.push({ worker, begin })).then(leave);
    }
    working = { worker, since: now };
    return undefined;
  };
}

/** Returns its end. */
function beginTurn(startedAt: number): number {
  void setImmediate().then(() => {
    const now = performance.now();
    requestsEndAt = waiting.length > 0 ? beginTurn(now) : undefined;
    beginNext(now);
  });
  return startedAt + MAX_TURN_MS;
}

/** If the one that had the turn has ended before it, the next one gets the rest. */
function continueTurn(): void {
  const now = performance.now();
  if (requestsEndAt !== undefined && now < requestsEndAt) beginNext(now);
}

function beginNext(now: number): void {
  charge(now);
  const next = takeNext();
  working = next && { worker: next.worker, since: now };
  next?.begin();
}

/** Counts the time since the last part has begun. */
function charge(now: number): void {
  if (!working) return;
  const ms = now - working.since;
  working.worker.usedMs += ms;
  order.usedMs += ms;
  working = undefined;
}

/** What one rule has used is no claim of the other one for ever: a machine may sleep during a part. */
function forgetOrders(): void {
  byPlace.usedMs = 0;
  byTime.usedMs = 0;
}

function takeNext(): Waiting | undefined {
  const [first] = waiting;
  if (!first) return undefined;
  order = byPlace.usedMs <= byTime.usedMs ? byPlace : byTime;
  const { isBefore } = order;
  const next = waiting.reduce((best, one) => (isBefore(one.worker, best.worker) ? one : best), first);
  waiting.splice(waiting.indexOf(next), 1);
  return next;
}

interface TurnBound {
  /** The longest time of the work with its waits, in ms. */
  readonly maxMs: number;
  readonly tooLong: () => Error;
  /** In ms. */
  readonly now?: () => number;
}

/** The same turns. Throws what `tooLong` makes once the work has taken its time. */
export function boundedTurns(turn: Turn, { maxMs, tooLong, now = () => performance.now() }: TurnBound): Turn {
  const endsAt = now() + maxMs;
  return () => {
    if (now() > endsAt) throw tooLong();
    return turn();
  };
}

/** Does one part of the work of a request in its turn. */
export async function inTurn<T>(turn: Turn, part: () => T): Promise<T> {
  const wait = turn();
  if (wait !== undefined) await wait;
  return part();
}

/** Collects the items of an iterable, some of them in each turn. */
export async function collectInTurns<T>(work: Iterable<T>, turn: Turn): Promise<readonly T[]> {
  const collected: T[] = [];
  const items = work[Symbol.iterator]();
  for (;;) {
    const wait = turn();
    if (wait !== undefined) await wait;
    const { done, value } = items.next();
    if (done) return collected;
    collected.push(value);
  }
}
