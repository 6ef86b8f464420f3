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
  /** The place of the request among all that have worked in turns. */
  readonly place: number;
  /** How often the request has waited before. */
  readonly waits: number;
  readonly begin: () => void;
}

/** Requests whose work waits for a turn. */
const waiting: Waiting[] = [];
/** When the present turn ends for the work of requests. Undefined: none of them works. */
let requestsEndAt: number | undefined;
let places = 0;
let isForFirst = false;

/** Undefined: the next part of the work may begin, without an `await` before it; otherwise resolves when it may. */
export type Turn = () => Promise<void> | undefined;

/**
 * The turns of one request, whose parts may take long. Of all requests that wait, one gets each turn, so many at once
 * delay others no longer than one does. Every second turn is for the one that has waited least often, so short ones
 * pass long ones. The others are for the one that came first, so none waits for ever. `leave` throws if nobody waits
 * for the work any more.
 */
export function turnsOfRequest(leave: () => void = () => {}): Turn {
  places += 1;
  const place = places;
  let waits = 0;
  return () => {
    leave();
    requestsEndAt ??= beginTurn();
    if (waiting.length === 0 && performance.now() < requestsEndAt) return undefined;
    return new Promise<void>((begin) => {
      waiting.push({ place, waits, begin });
      waits += 1;
    }).then(leave);
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
  isForFirst = !isForFirst;
  const isBefore = isForFirst
    ? (one: Waiting, other: Waiting) => one.place < other.place
    : (one: Waiting, other: Waiting) => one.waits < other.waits;
  const next = waiting.reduce((best, one) => (isBefore(one, best) ? one : best), first);
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
