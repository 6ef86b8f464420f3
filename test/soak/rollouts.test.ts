/** A ramp of twenty seconds, which the Node SDK follows: the share of users is the rollout of each step. */
import type { Unleash } from 'unleash-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { endSdk, nextEvent, startSdk, tokenValue } from '../support/sdk-world.ts';

const USERS = Array.from({ length: 2_000 }, (_, index) => ({ userId: `user-${index}` }));
const STEP_SECONDS = 5;
const ROLLOUTS = [5, 25, 50, 75, 100];
/** The interval of the SDK's polls, and the time by which a moment may be late on a busy machine. */
const LATE_MS = 3_000;
/** A longer time between two samples means that the SDK, which runs in the same process, had no turn either. */
const APART_MS = 500;
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('soak-rollouts', { settings: { VEXIL_AUTH: 'token' } });
});
afterAll(() => instance.stop());

/** Resolves when the SDK has received an answer to a poll. */
function untilAnswered(sdk: Unleash): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      sdk.off('changed', done).off('unchanged', done);
      resolve();
    };
    sdk.on('changed', done).on('unchanged', done);
  });
}

test('2,000 users follow the steps within a second, stay within 2 points of each, and users who are in stay in', async () => {
  const token = await tokenValue(instance, 'backend');
  const start = Date.now() + 15_000;
  const steps = ROLLOUTS.map((rollout, index) =>
    index < ROLLOUTS.length - 1 ? { rollout, for: `${STEP_SECONDS}s` } : { rollout },
  );
  const ramp = { startAt: new Date(start).toISOString(), steps };
  const strategies = { s: { name: 'flexibleRollout', parameters: { rollout: 0, stickiness: 'userId' }, ramp } };
  await instance.apply(aFlag(`${instance.home}/ramp`, { environments: { production: { enabled: true, strategies } } }));
  const sdk = startSdk(instance.url, { token });
  await nextEvent(sdk, 'synchronized');
  const isIn = () => USERS.filter((context) => sdk.isEnabled('ramp', context)).map(({ userId }) => userId);
  expect(isIn()).toEqual([]);
  const stepAt = (ms: number) => Math.min(Math.floor((ms - start) / (STEP_SECONDS * 1000)), ROLLOUTS.length - 1);
  /**
   * The rollouts that may be in effect at a time: that of the step, and shortly after a moment also that of the step
   * before.
   */
  const allowedAt = (ms: number) => [...new Set([stepAt(ms), stepAt(ms - LATE_MS)])].map((step) => ROLLOUTS[step] ?? 0);
  const seen = new Set<number>();
  let before: readonly string[] = [];
  let sampledAt = Date.now();
  await waitUntil({ what: 'the last step has lasted for a while', everyMs: 20, timeoutMs: 60_000 }, async () => {
    if (Date.now() - sampledAt > APART_MS) {
      // The first answer may be to a poll that was sent before.
      await untilAnswered(sdk);
      await untilAnswered(sdk);
    }
    sampledAt = Date.now();
    // Each user is evaluated between these two times.
    const [from, users, until] = [Date.now(), isIn(), Date.now()];
    const share = (users.length / USERS.length) * 100;
    const allowed = [...new Set([...allowedAt(from), ...allowedAt(until)])];
    const rollout = allowed.find((one) => Math.abs(share - one) <= 2);
    expect(rollout, `${share} % after ${until - start} ms is a step of ${allowed}`).toBeDefined();
    seen.add(rollout ?? 0);
    expect(new Set(before).isSubsetOf(new Set(users)), 'who was in is in').toBe(true);
    before = users;
    return until > start + ROLLOUTS.length * STEP_SECONDS * 1000;
  });
  expect([...seen]).toEqual([0, ...ROLLOUTS]);
  endSdk(sdk);
});
