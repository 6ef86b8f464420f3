/** A ramp of twenty seconds, which the Node SDK follows: the share of users is that of each step. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { endSdk, nextEvent, startSdk, tokenValue } from '../support/sdk-world.ts';

const USERS = Array.from({ length: 2_000 }, (_, index) => ({ userId: `user-${index}` }));
const STEP_SECONDS = 5;
const ROLLOUTS = [5, 25, 50, 75, 100];
/** A poll of the SDK, and the second that a moment may be late. */
const LATE_MS = 1_250;
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('soak-rollouts', { settings: { VEXIL_AUTH: 'token' } });
});
afterAll(() => instance.stop());

test('2,000 users follow the steps within a second, and who is in stays in', async () => {
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
  let before: readonly string[] = [];
  const late: number[] = [];
  for (const [index, rollout] of ROLLOUTS.entries()) {
    const moment = start + index * STEP_SECONDS * 1000;
    const users = await waitUntil({ what: `step ${rollout}`, everyMs: 20 }, async () => {
      const found = isIn();
      return Math.abs((found.length / USERS.length) * 100 - rollout) <= 2 && found;
    });
    late.push(Date.now() - moment);
    expect(new Set(before).isSubsetOf(new Set(users)), 'who was in is in').toBe(true);
    before = users;
  }
  expect(Math.min(...late), 'no step is early').toBeGreaterThanOrEqual(0);
  // A machine that is busy for a moment makes a step late; a slow way makes all of them late.
  expect(late.toSorted((a, b) => a - b)[2], `the steps are in time: ${late}`).toBeLessThanOrEqual(LATE_MS);
  endSdk(sdk);
});
