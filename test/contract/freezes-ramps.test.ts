/**
 * Ramps in an environment whose freeze pauses them: what SDKs receive, what the status shows, what the history records.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Freeze } from '../../src/schema/freeze.ts';
import { aFlag, anEnvironment } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import { untilRecording } from '../support/until-recording.ts';

const MINUTE_MS = 60_000;
const text = (ms: number) => new Date(ms).toISOString();

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('freezes-ramps');
  const { cluster, call, home } = instance;
  await instance.apply(aFlag(`${home}/first`));
  await untilRecording(cluster, call, { flag: '/projects/shop/features/first', namespace: home });
});
afterAll(() => instance?.stop());

const freeze = (environment: string, ...freezes: Freeze[]) =>
  instance.apply(anEnvironment(`${instance.home}/${environment}`, { freezes }));

function ramped(name: string, environment: string, startAt: string) {
  const steps = [{ rollout: 5, for: '30m' }, { rollout: 50, for: '1h' }, { rollout: 100 }];
  const strategies = { s: { name: 'flexibleRollout', parameters: { rollout: 1 }, ramp: { startAt, steps } } };
  return aFlag(`${instance.home}/${name}`, { environments: { [environment]: { enabled: true, strategies } } });
}

async function rolloutOf(name: string, environment: string): Promise<string | undefined> {
  const { body } = await instance.call(`GET //api/client/features/${name}?environment=${environment}`);
  return body?.strategies?.[0].parameters.rollout;
}

test('the time of a freeze does not count for a ramp, for as long as the freeze is in the spec', async () => {
  const now = Date.now();
  const [start, until] = [now - 60 * MINUTE_MS, now + 60 * MINUTE_MS];
  await freeze('production', { name: 'pause', from: text(now - 45 * MINUTE_MS), until: text(until), ramps: 'Pause' });
  await instance.apply(ramped('paused', 'production', text(start)));
  const next = text(until + 15 * MINUTE_MS);
  const rampOf = async () => {
    const { body } = await instance.call('GET /projects/shop/features/paused/status');
    return body.environments.find(({ name }: { name: string }) => name === 'production').ramps[0];
  };
  expect(await rampOf()).toMatchObject({ state: 'Running', step: 1, rollout: 5, nextChangeAt: next });
  expect(await rolloutOf('paused', 'production')).toBe('5');
  const { status } = await instance.flag(`${instance.home}/paused`);
  expect(status.environments.production.ramps.s.stepsAt).toEqual([text(start), next, text(until + 75 * MINUTE_MS)]);
  expect(status.nextChangeAt).toBe(next);

  await freeze('production');
  await waitUntil({ what: 'SDKs get the step' }, async () => (await rolloutOf('paused', 'production')) === '50');
  expect(await rampOf()).toMatchObject({ state: 'Running', step: 2, nextChangeAt: text(start + 90 * MINUTE_MS) });
  await waitUntil({ what: 'the status follows' }, async () => {
    const { ramps } = (await instance.flag(`${instance.home}/paused`)).status.environments.production;
    return ramps.s.rollout === 50 && ramps.s.stepsAt === undefined;
  });
});

test('a step that was due in a freeze begins when the freeze ends, and is recorded with that time', async () => {
  const now = Date.now();
  const freezeUntil = (until: number) =>
    freeze('development', { name: 'short', from: text(now - 30 * MINUTE_MS), until: text(until), ramps: 'Pause' });
  await freezeUntil(now + 60 * MINUTE_MS);
  await instance.apply(ramped('due', 'development', text(now - 60 * MINUTE_MS)));
  expect(await rolloutOf('due', 'development')).toBe('5');
  const until = Date.now() + 2_000;
  await freezeUntil(until);
  const look = async () => (await rolloutOf('due', 'development')) === '50';
  await waitUntil({ what: 'SDKs get the step' }, look);
  expect(Date.now()).toBeGreaterThanOrEqual(until);
  const [step] = await untilRecorded(instance.call, 'feature=IS:due&type=IS:feature-ramp-step', 1);
  expect(step).toMatchObject({
    createdAt: text(until),
    environment: 'development',
    data: { at: text(until), step: 2, steps: 3, rollout: 50 },
  });
});
