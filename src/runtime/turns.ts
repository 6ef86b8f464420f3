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

/** Collects the items of an iterable, some of them in each turn. */
export async function collectInTurns<T>(work: Iterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  for (const item of work) {
    collected.push(item);
    const turn = nextTurn();
    if (turn !== undefined) await turn;
  }
  return collected;
}
