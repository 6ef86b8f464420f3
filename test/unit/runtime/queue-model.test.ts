/** The queue with its workers under many random sequences, each compared with a model. */
import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/model/seeded-random.ts';
import { exponentialBackoff } from '../../../src/runtime/backoff.ts';
import { runWorkers } from '../../../src/runtime/controller.ts';
import { again, done, type Outcome } from '../../../src/runtime/outcome.ts';
import { createQueue } from '../../../src/runtime/queue.ts';
import { type FakeClock, fakeClock, settled } from '../../support/fake-clock.ts';
import { observedLogger, observedQueue } from './observed.ts';

interface KeyModel {
  /** The time by which a run must start, because a caller requested it. */
  due: number | undefined;
  /** The time before which no run may start, because a failed run requested that wait. */
  notBefore: number;
  running: boolean;
  /** Whether another run must follow because of a request during the present one. */
  owed: boolean;
  /**
   * Whether one more run is allowed: the key was requested after a worker may have received it, and before its run
   * began.
   */
  allowed: boolean;
}

/** The conditions that must hold for every key at any time. */
function createModel(clock: FakeClock, concurrency: number) {
  const keys = new Map<string, KeyModel>();
  // Breaches are collected, not thrown: the worker would take a failed expectation for a failed run.
  const breaches: string[] = [];
  let runs = 0;
  let running = 0;

  function of(key: string): KeyModel {
    const known = keys.get(key) ?? { due: undefined, notBefore: 0, running: false, owed: false, allowed: false };
    keys.set(key, known);
    return known;
  }

  return {
    breaches,
    asked(key: string, delayMs: number) {
      const model = of(key);
      const at = Math.max(clock.now() + delayMs, model.notBefore);
      if (model.due !== undefined && model.due <= clock.now()) model.allowed = true;
      model.due = Math.min(model.due ?? at, at);
      if (model.running) model.owed = true;
    },
    started(key: string) {
      const model = of(key);
      if (model.running) breaches.push(`${key} runs twice at the same time`);
      if (clock.now() < model.notBefore) breaches.push(`${key} came back too early`);
      if (model.due === undefined && !model.allowed) breaches.push(`${key} runs although nobody asked`);
      model.allowed = model.due !== undefined && model.allowed;
      Object.assign(model, { due: undefined, running: true, owed: false });
      runs += 1;
      running += 1;
      if (running > concurrency) breaches.push(`${running} run at the same time`);
    },
    ended(key: string, notBefore: number) {
      of(key).running = false;
      of(key).notBefore = notBefore;
      running -= 1;
    },
    get runs() {
      return runs;
    },
    /** Returns the keys with a request that no run has followed. */
    unanswered: () => [...keys].filter(([, model]) => model.due !== undefined || model.owed || model.running),
  };
}

async function liveThrough(seed: number) {
  const random = seededRandom(seed);
  const chance = (share: number) => random() < share;
  const upTo = (limit: number) => Math.floor(random() * limit);
  const clock = fakeClock();
  const { observer } = observedQueue();
  const { logger } = observedLogger();
  const loggerOf = () => logger;
  const backoff = exponentialBackoff({ baseMs: 10, capMs: 200, random });
  const concurrency = 1 + upTo(4);
  const queue = createQueue({ clock, observer, backoff, maxLow: 1 + upTo(concurrency) });
  const model = createModel(clock, concurrency);
  const stop = new AbortController();
  let calm = false;

  function fail(key: string): never {
    const retryAfterSeconds = upTo(2) * (upTo(100) / 1000);
    model.ended(key, clock.now() + retryAfterSeconds * 1000);
    throw Object.assign(new Error('the world hindered me'), { retryAfterSeconds });
  }
  async function reconcile(key: string): Promise<Outcome> {
    model.started(key);
    if (chance(0.7)) await new Promise<void>((resume) => clock.after(upTo(40), resume));
    if (!calm && chance(0.3)) fail(key);
    model.ended(key, 0);
    if (calm || chance(0.6)) return done;
    const afterMs = upTo(60);
    model.asked(key, afterMs);
    return again(afterMs);
  }
  const onError = ({ key, inMs }: { key: string; inMs: number }) => model.asked(key, inMs);
  const ended = runWorkers({ queue, concurrency, loggerOf, reconcile, onError, signal: stop.signal });

  for (let step = 0; step < 120; step += 1) {
    const key = `key-${upTo(6)}`;
    const delayMs = chance(0.5) ? 0 : upTo(80);
    model.asked(key, delayMs);
    const priority = chance(0.5) ? 'high' : 'low';
    if (delayMs === 0) queue.add(key, { priority });
    else queue.addAfter(key, delayMs, { priority });
    if (chance(0.4)) await clock.advance(upTo(30));
  }
  calm = true;
  await clock.advance(10_000);
  while (queue.length > 0) await settled();
  stop.abort();
  await ended;
  return { model, clock, queue };
}

test.each(Array.from({ length: 60 }, (_, seed) => seed))(
  'history %i: no request is lost, no key runs twice at once, none returns too early, none runs without a request',
  async (seed) => {
    const { model, clock, queue } = await liveThrough(seed);
    expect(model.breaches).toEqual([]);
    expect(model.unanswered()).toEqual([]);
    expect(model.runs).toBeGreaterThan(20);
    expect([queue.length, clock.pending]).toEqual([0, 0]);
  },
);
