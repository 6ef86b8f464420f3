/** Election among candidates that share one lease, with a clock that the test advances. */
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { Clock } from '../../../src/model/clock.ts';
import { seededRandom } from '../../../src/model/seeded-random.ts';
import {
  type ElectionNotice,
  type Lease,
  type LeaseState,
  runElection,
  type Term,
} from '../../../src/runtime/election.ts';
import { type FakeClock, fakeClock, settled } from '../../support/fake-clock.ts';

const { lease: timings } = loadConfig({}).timings;
const { durationMs: LEASE_MS, retryPeriodMs: RETRY_MS } = timings;

/** A Lease at the API server: a write of an outdated version is refused. */
function sharedLease() {
  let state: LeaseState | undefined;
  let version = 0;
  const writes: string[] = [];
  const lease: Lease = {
    read: async () => state,
    async hold(holder, over) {
      if (over?.version !== state?.version) throw new Error('conflict');
      version += 1;
      state = { holder, durationMs: LEASE_MS, version: String(version) };
      writes.push(holder);
      return state;
    },
  };
  return { lease, writes, holder: () => state?.holder };
}

interface Candidate {
  readonly notices: ElectionNotice['type'][];
  terms: number;
  term: Term | undefined;
  isLeading(): boolean;
  /** Simulates SIGSTOP: no timer fires until `resume`. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

function candidate(identity: string, clock: FakeClock, lease: Lease): Candidate {
  const end = new AbortController();
  const pausable = pausableClock(clock);
  const self: Candidate = {
    notices: [],
    terms: 0,
    term: undefined,
    isLeading: () => self.term?.isCurrent() ?? false,
    pause: pausable.pause,
    resume: pausable.resume,
    async stop() {
      end.abort(new Error('stop'));
      await running;
    },
  };
  const running = runElection({
    lease,
    timings,
    identity,
    clock: pausable.clock,
    random: () => 0.5,
    signal: end.signal,
    onNotice: ({ type }) => self.notices.push(type),
    lead: (term) => {
      self.terms += 1;
      self.term = term;
      return new Promise((resolve) => term.signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  });
  return self;
}

function pausableClock(clock: FakeClock): { clock: Clock; pause(): void; resume(): void } {
  let delayed: (() => void)[] | undefined;
  return {
    clock: {
      now: clock.now,
      after: (ms, wake) => clock.after(ms, () => (delayed ? delayed.push(wake) : wake())),
    },
    pause: () => {
      delayed ??= [];
    },
    resume: () => {
      const due = delayed ?? [];
      delayed = undefined;
      for (const wake of due) wake();
    },
  };
}

describe('one candidate', () => {
  test('leads at once if there is no lease, and keeps it', async () => {
    const clock = fakeClock();
    const shared = sharedLease();
    const one = candidate('one', clock, shared.lease);
    await clock.advance(0);
    expect(one.isLeading()).toBe(true);
    await clock.advance(60_000);
    expect(one.isLeading()).toBe(true);
    expect(one.terms).toBe(1);
    await one.stop();
  });

  test('releases the lease when it stops, after its work has ended', async () => {
    const clock = fakeClock();
    const shared = sharedLease();
    const one = candidate('one', clock, shared.lease);
    await clock.advance(0);
    await one.stop();
    expect(shared.holder()).toBe('');
    expect(one.isLeading()).toBe(false);
    expect(one.notices).toEqual(['leading', 'released']);
  });

  test('releases the lease when it stops during a renewal that has taken effect', async () => {
    const clock = fakeClock();
    const shared = sharedLease();
    const lease: Lease = {
      async read(signal) {
        signal?.throwIfAborted();
        return shared.lease.read();
      },
      async hold(holder, over, signal) {
        const state = await shared.lease.hold(holder, over, signal);
        // The answer to a renewal arrives too late.
        if (over && holder !== '') await new Promise((_, reject) => signal?.addEventListener('abort', reject));
        return state;
      },
    };
    const one = candidate('one', clock, lease);
    await clock.advance(0);
    await clock.advance(RETRY_MS);
    expect(shared.writes).toEqual(['one', 'one']);
    await one.stop();
    expect(shared.holder()).toBe('');
    expect(one.notices).toEqual(['leading', 'released']);
  });

  test('stops leading before the lease could be acquired by another one, if it cannot renew', async () => {
    const clock = fakeClock();
    const shared = sharedLease();
    let broken = false;
    const refuse = <R>(call: () => Promise<R>) => (broken ? Promise.reject(new Error('away')) : call());
    const flaky: Lease = {
      read: (signal) => refuse(() => shared.lease.read(signal)),
      hold: (...call) => refuse(() => shared.lease.hold(...call)),
    };
    const one = candidate('one', clock, flaky);
    await clock.advance(0);
    broken = true;
    await clock.advance(LEASE_MS - 1);
    expect(one.isLeading()).toBe(false);
    expect(one.notices).toContain('lost');
    broken = false;
    await clock.advance(5_000);
    expect(one.terms).toBe(2);
    await one.stop();
  });

  test('ends its work in time while a renewal has no answer', async () => {
    const clock = fakeClock();
    const shared = sharedLease();
    let isSilent = false;
    const silent = (signal: AbortSignal | undefined) =>
      new Promise<never>((_, reject) => {
        if (signal?.aborted) reject(signal.reason);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    const lease: Lease = {
      read: (signal) => (isSilent ? silent(signal) : shared.lease.read(signal)),
      hold: (holder, over, signal) => (isSilent ? silent(signal) : shared.lease.hold(holder, over, signal)),
    };
    const one = candidate('one', clock, lease);
    await clock.advance(0);
    isSilent = true;
    await clock.advance(timings.renewDeadlineMs);
    expect(one.term?.signal.aborted).toBe(true);
    expect(one.notices).toEqual(['leading', 'lost']);
    await one.stop();
  });

  test('fails with its work, also if that fails during a renewal', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const [clock, { lease }] = [fakeClock(), sharedLease()];
    const [renewal, work] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let renewals = -1;
    const slow: Lease = {
      ...lease,
      async hold(...write) {
        renewals += 1;
        if (renewals > 0) await renewal.promise;
        return lease.hold(...write);
      },
    };
    const running = runElection({
      ...{ lease: slow, timings, identity: 'a', clock, random: () => 0.5, onNotice: () => undefined },
      lead: () => work.promise,
      signal: new AbortController().signal,
    });
    const failed = expect(running).rejects.toThrow('mistake');
    await clock.advance(RETRY_MS * 2);
    expect(renewals).toBe(1);
    work.reject(new Error('mistake'));
    await settled();
    renewal.resolve();
    await failed;
    expect(unhandled).toEqual([]);
  });

  test('continues when the answer to a renewal was lost', async () => {
    const clock = fakeClock();
    const shared = sharedLease();
    let lose = false;
    const lossy: Lease = {
      read: shared.lease.read,
      async hold(...call) {
        const state = await shared.lease.hold(...call);
        if (lose) {
          lose = false;
          throw new Error('the answer got lost');
        }
        return state;
      },
    };
    const one = candidate('one', clock, lossy);
    await clock.advance(0);
    lose = true;
    await clock.advance(60_000);
    expect(one.isLeading()).toBe(true);
    expect(one.terms).toBe(1);
    await one.stop();
  });
});

/** Starts two candidates: the first one leads, and the second one follows. */
async function leaderWithFollower() {
  const clock = fakeClock();
  const shared = sharedLease();
  const one = candidate('one', clock, shared.lease);
  await clock.advance(0);
  const two = candidate('two', clock, shared.lease);
  await clock.advance(4_000);
  expect([one.isLeading(), two.isLeading()]).toEqual([true, false]);
  return { clock, shared, one, two };
}

describe('two candidates', () => {
  test('hand over at once when the leader stops', async () => {
    const { clock, one, two } = await leaderWithFollower();
    await one.stop();
    await clock.advance(2_500);
    expect(two.isLeading()).toBe(true);
    await two.stop();
  });

  test.each(Array.from({ length: 10 }, (_, tenth) => tenth * 100))(
    'wait a whole lease for a leader that ends %i ms after their last poll, and no more than 8 seconds',
    async (afterMs) => {
      const { clock, one, two } = await leaderWithFollower();
      await clock.advance(afterMs);
      one.pause();
      await clock.advance(LEASE_MS - RETRY_MS - 1);
      expect(two.isLeading()).toBe(false);
      // Calls to the API server take no time here, so half a second is left for them.
      await clock.advance(7_500 - (LEASE_MS - RETRY_MS - 1));
      expect(two.isLeading()).toBe(true);
      await two.stop();
    },
  );

  test('do not lead at once because an answer was slow: a lease is as old as the moment of its read', async () => {
    const clock = fakeClock();
    const shared = sharedLease();
    let cut = false;
    const cuttable: Lease = {
      read: shared.lease.read,
      hold: async (...call) => (cut ? Promise.reject(new Error('away')) : shared.lease.hold(...call)),
    };
    const one = candidate('one', clock, cuttable);
    await clock.advance(1_600);
    const slowOnce: Lease = { ...shared.lease, read: once(slowly(clock, 4_500, shared.lease.read), shared.lease.read) };
    const two = candidate('two', clock, slowOnce);
    await clock.advance(4_500);
    cut = true;
    for (let ms = 0; ms < 15_000; ms += 100) {
      await clock.advance(100);
      expect([one.isLeading(), two.isLeading()]).not.toEqual([true, true]);
    }
    expect(two.isLeading()).toBe(true);
    await Promise.all([one.stop(), two.stop()]);
  });

  test('a paused leader knows as soon as it resumes that it does not lead any more', async () => {
    const { clock, shared, one, two } = await leaderWithFollower();
    one.pause();
    await clock.advance(20_000);
    expect([one.isLeading(), two.isLeading()]).toEqual([false, true]);
    one.resume();
    expect(one.isLeading()).toBe(false);
    await clock.advance(10_000);
    expect([one.isLeading(), two.isLeading()]).toEqual([false, true]);
    expect(shared.holder()).toBe('two');
    await Promise.all([one.stop(), two.stop()]);
  });
});

/** The first call goes to one function, all others to another. */
function once(first: Lease['read'], others: Lease['read']): Lease['read'] {
  let isFirst = true;
  return (signal) => {
    const read = isFirst ? first : others;
    isFirst = false;
    return read(signal);
  };
}

/** The request takes that long to arrive, and is answered at once. */
function slowly(clock: Clock, ms: number, read: Lease['read']): Lease['read'] {
  return (signal) => new Promise((resolve) => clock.after(ms, () => resolve(read(signal))));
}

test.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
  'never two lead at once, and finally one does (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const clock = fakeClock();
    const shared = sharedLease();
    const flaky: Lease = {
      read: (signal) => (random() < 0.1 ? Promise.reject(new Error('away')) : shared.lease.read(signal)),
      hold: async (...call) => {
        if (random() < 0.1) throw new Error('away');
        const state = await shared.lease.hold(...call);
        if (random() < 0.1) throw new Error('the answer got lost');
        return state;
      },
    };
    const candidates = ['a', 'b', 'c'].map((name) => candidate(name, clock, flaky));
    for (let step = 0; step < 150; step += 1) {
      const one = candidates[Math.floor(random() * candidates.length)];
      if (random() < 0.3) one?.pause();
      else one?.resume();
      await clock.advance(random() * 3_000);
      expect(candidates.filter((each) => each.isLeading()).length).toBeLessThanOrEqual(1);
    }
    for (const each of candidates) each.resume();
    await clock.advance(60_000);
    expect(candidates.filter((each) => each.isLeading()).length).toBe(1);
    await Promise.all(candidates.map((each) => each.stop()));
  },
);
