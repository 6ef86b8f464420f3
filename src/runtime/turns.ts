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

interface Waiting {
  /** How often the request has waited before. */
  readonly waits: number;
  readonly begin: () => void;
}

/** Requests whose work waits for a turn. */
const waiting: Waiting[] = [];
/** When the present turn ends for the work of requests. Undefined: none of them works. */
let requestsEndAt: number | undefined;

/** Undefined: the next part of the work may begin, without an `await` before it; otherwise resolves when it may. */
export type Turn = () => Promise<void> | undefined;

/**
 * The turns of one request, whose parts may take long. Of all requests that wait, one gets each turn, so many at once
 * delay others no longer than one does. The one that has waited least often is first, so short ones pass long ones.
 */
export function turnsOfRequest(): Turn {
  let waits = 0;
  return () => {
    requestsEndAt ??= beginTurn();
    if (waiting.length === 0 && performance.now() < requestsEndAt) return undefined;
    return new Promise((begin) => {
      waiting.push({ waits, begin });
      waits += 1;
    });
  };
}

/** Returns its end. */
function beginTurn(): number {
  void setImmediate().then(() => {
    const next = takeFirst();
    requestsEndAt = next && beginTurn();
    next?.begin();
  });
  return performance.now() + MAX_TURN_MS;
}

function takeFirst(): Waiting | undefined {
  const [first] = waiting;
  if (!first) return undefined;
  const next = waiting.reduce((best, one) => (one.waits < best.waits ? one : best), first);
  waiting.splice(waiting.indexOf(next), 1);
  return next;
}

/** As `turnsOfRequest`. Throws what `tooLong` makes once the work has taken this time, with its waits. `now` in ms. */
export function boundedTurns(maxMs: number, tooLong: () => Error, now = () => performance.now()): Turn {
  const next = turnsOfRequest();
  const endsAt = now() + maxMs;
  return () => {
    if (now() > endsAt) throw tooLong();
    return next();
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
