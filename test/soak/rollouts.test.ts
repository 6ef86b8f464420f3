/** A ramp of ten seconds, which the Node SDK follows: the share of users is that of each step. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { endSdk, nextEvent, startSdk, tokenValue } from '../support/sdk-world.ts';

const USERS = Array.from({ length: 2_000 }, (_, index) => ({ userId: `user-${index}` }));
const STEP_SECONDS = 2;
const ROLLOUTS = [5, 25, 50, 75, 100];
/** A poll of the SDK, and the second that a moment may be late. */
const LATE_MS = 1_250;
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('soak-rollouts', { settings: { VEXIL_AUTH: 'token' } });
});
afterAll(() => instance.stop());

test('2,000 users follow each step within a second, and who is in stays in', async () => {
  const token = await tokenValue(instance, 'backend');
  const start = Date.now() + 4_000;
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
  for (const [index, rollout] of ROLLOUTS.entries()) {
    const moment = start + index * STEP_SECONDS * 1000;
    const users = await waitUntil({ what: `step ${rollout}`, everyMs: 20 }, async () => {
      const found = isIn();
      return Math.abs((found.length / USERS.length) * 100 - rollout) <= 2 && found;
    });
    const lateMs = Date.now() - moment;
    expect(lateMs, `step ${rollout} is not early`).toBeGreaterThanOrEqual(0);
    expect(lateMs, `step ${rollout} is in time`).toBeLessThanOrEqual(LATE_MS);
    expect(new Set(before).isSubsetOf(new Set(users)), 'who was in is in').toBe(true);
    before = users;
  }
  endSdk(sdk);
});
