/** Virtual time: one seed decides how long everything takes, and so what comes before what. */
import { nextTick } from 'node:process';
import type { Clock } from '../../src/model/clock.ts';
import { seededRandom } from '../support/seeded-random.ts';

/**
 * A process, or the world around all processes. What is meant for a process that is paused waits; for one that was
 * killed, it is lost.
 */
export interface Actor {
  readonly name: string;
  /** Virtual ms. */
  pausedUntil: number;
  isKilled: boolean;
}

interface Planned {
  at: number;
  /** When it would have happened without pauses: what waits for the end of a pause keeps its order. */
  readonly due: number;
  /** Decides among events of the same moment. */
  readonly order: number;
  readonly actor: Actor;
  readonly run: () => void;
  isCancelled: boolean;
}

export interface Schedule {
  /** From 0 (included) to 1 (excluded). */
  readonly random: () => number;
  /** A whole number from 0 to `below`, exclusive. */
  below(below: number): number;
  pick<T>(some: readonly T[]): T;
  /** Virtual ms since the start. */
  now(): number;
  /** Plans an event; returns how to cancel it. */
  after(ms: number, actor: Actor, run: () => void): () => void;
  /** Lets everything happen up to a moment, and gives each event the time that its promises need. */
  runUntil(ms: number): Promise<void>;
  /** Planned events of an actor. */
  plannedFor(actor: Actor): number;
  /** Called after each event. */
  onStep(check: () => void): void;
  /** Events so far. */
  readonly steps: number;
}

/** How many events share a turn of the real event loop, which costs as much as a small event. */
const EVENTS_PER_TURN = 16;

/** Resolves when all promises that could go on have done so. */
function drained(steps: number): Promise<void> {
  return new Promise((resolve) => {
    if (steps % EVENTS_PER_TURN === 0) setImmediate(resolve);
    else nextTick(resolve);
  });
}

/** A run takes some thousands. */
const MAX_STEPS = 50_000;

export function anActor(name: string): Actor {
  return { name, pausedUntil: 0, isKilled: false };
}

export function createSchedule(seed: number): Schedule {
  const random = seededRandom(seed);
  const heap: Planned[] = [];
  const checks: (() => void)[] = [];
  let now = 0;
  let steps = 0;

  function take(until: number): Planned | undefined {
    while ((heap[0]?.at ?? Number.POSITIVE_INFINITY) <= until) {
      const next = pop(heap);
      if (next === undefined || next.isCancelled || next.actor.isKilled) continue;
      if (next.actor.pausedUntil <= next.at) return next;
      next.at = next.actor.pausedUntil;
      push(heap, next);
    }
    return undefined;
  }

  return {
    random,
    below: (below) => Math.floor(random() * below),
    pick: (some) => some[Math.floor(random() * some.length)] as (typeof some)[number],
    now: () => now,
    after(ms, actor, run) {
      const due = now + Math.max(0, ms);
      const planned: Planned = { at: due, due, order: random(), actor, run, isCancelled: false };
      push(heap, planned);
      return () => {
        planned.isCancelled = true;
      };
    },
    async runUntil(ms) {
      for (let next = take(ms); next !== undefined; next = take(ms)) {
        now = Math.max(now, next.at);
        steps += 1;
        if (steps > MAX_STEPS) throw new Error(`more than ${MAX_STEPS} events: something repeats without end`);
        next.run();
        await drained(steps);
        for (const check of checks) check();
      }
      await drained(0);
      now = Math.max(now, ms);
    },
    plannedFor: (actor) => heap.filter((planned) => planned.actor === actor && !planned.isCancelled).length,
    onStep: (check) => checks.push(check),
    get steps() {
      return steps;
    },
  };
}

/** The clock of a process. `rate`: how much faster than others it goes. */
export function clockOf(schedule: Schedule, actor: Actor, rate = 1): Clock {
  return {
    now: () => schedule.now() * rate,
    // As in Node.js, whose timers have whole ms, at least one.
    after: (ms, wake) => schedule.after(Math.max(1, Math.ceil(ms / rate)), actor, wake),
  };
}

function isBefore(one: Planned | undefined, other: Planned | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one.at !== other.at) return one.at < other.at;
  return one.due === other.due ? one.order < other.order : one.due < other.due;
}

function push(heap: Planned[], planned: Planned): void {
  let place = heap.push(planned) - 1;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (!isBefore(planned, heap[parent])) break;
    heap[place] = heap[parent] as Planned;
    place = parent;
  }
  heap[place] = planned;
}

function pop(heap: Planned[]): Planned | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let place = 0;
  for (;;) {
    const left = 2 * place + 1;
    const smaller = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
    if (!isBefore(heap[smaller], last)) break;
    heap[place] = heap[smaller] as Planned;
    place = smaller;
  }
  heap[place] = last;
  return first;
}
