/** Virtual time: one seed decides how long everything takes, and so what comes before what. */
import { nextTick } from 'node:process';
import TinyQueue from 'tinyqueue';
import type { Clock } from '../../src/model/clock.ts';
import { seededRandom } from '../../src/model/seeded-random.ts';

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

/** How many turns of the real event loop without an event mean that no event comes. */
const IDLE_TURNS = 5;

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

/** A pause never shortens another one. */
export function pauseUntil(actor: Actor, at: number): void {
  actor.pausedUntil = Math.max(actor.pausedUntil, at);
}

export function createSchedule(seed: number): Schedule {
  const random = seededRandom(seed);
  const queue = new TinyQueue<Planned>([], compare);
  const checks: (() => void)[] = [];
  let now = 0;
  let steps = 0;

  function take(until: number): Planned | undefined {
    while ((queue.peek()?.at ?? Number.POSITIVE_INFINITY) <= until) {
      const next = queue.pop();
      if (next === undefined || next.isCancelled || next.actor.isKilled) continue;
      if (next.actor.pausedUntil <= next.at) return next;
      next.at = next.actor.pausedUntil;
      queue.push(next);
    }
    return undefined;
  }

  /** Work that gives way to the event loop plans its next event some turns later. */
  async function nextUntil(ms: number): Promise<Planned | undefined> {
    let next = take(ms);
    for (let turn = 0; next === undefined && turn < IDLE_TURNS; turn += 1) {
      await drained(0);
      next = take(ms);
    }
    return next;
  }

  return {
    random,
    below: (below) => Math.floor(random() * below),
    pick: (some) => some[Math.floor(random() * some.length)] as (typeof some)[number],
    now: () => now,
    after(ms, actor, run) {
      const due = now + Math.max(0, ms);
      const planned: Planned = { at: due, due, order: random(), actor, run, isCancelled: false };
      queue.push(planned);
      return () => {
        planned.isCancelled = true;
      };
    },
    async runUntil(ms) {
      for (let next = await nextUntil(ms); next !== undefined; next = await nextUntil(ms)) {
        now = Math.max(now, next.at);
        steps += 1;
        if (steps > MAX_STEPS) throw new Error(`more than ${MAX_STEPS} events: something repeats without end`);
        next.run();
        await drained(steps);
        for (const check of checks) check();
      }
      now = Math.max(now, ms);
    },
    plannedFor: (actor) => queue.data.filter((planned) => planned.actor === actor && !planned.isCancelled).length,
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

function compare(one: Planned, other: Planned): number {
  return one.at - other.at || one.due - other.due || one.order - other.order;
}
