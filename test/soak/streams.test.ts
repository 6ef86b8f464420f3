/**
 * The SDKs for Node and Python on streams, and the SDK for Node polling deltas, while replicas are killed and started.
 */
import type { Unleash } from 'unleash-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { type SdkProgram, sdkPrograms, startSdkProgram } from '../support/sdk-programs.ts';
import { endSdk, nextEvent, startSdk, tokenValue } from '../support/sdk-world.ts';
import { startService } from '../support/service.ts';

const WATCHED = 'watched';
const on = { enabled: true, strategies: { all: { name: 'default' } } };
const running: Replica[] = [];
let instance: Instance;
let service: Awaited<ReturnType<typeof startService>>;
let node: Unleash;
let polling: Unleash;
let python: SdkProgram;

beforeAll(async () => {
  instance = await startInstance('soak-streams', { settings: { VEXIL_AUTH: 'token' } });
  const token = await tokenValue(instance, 'backend');
  await turn(true);
  service = await startService((await start()).url);
  node = startSdk(service.url, {
    token,
    experimentalMode: { type: 'streaming' },
    customHeaders: { Authorization: token, 'Fetch-Mode': 'streaming' },
  });
  polling = startSdk(service.url, { token, experimentalMode: { type: 'polling', format: 'delta' } });
  await Promise.all([node, polling].map((sdk) => nextEvent(sdk, 'synchronized')));
  const question = { url: service.url, token, flags: [WATCHED], users: [], watched: WATCHED, streams: true };
  python = await startSdkProgram(sdkPrograms['Python UnleashClient 6.9.1'], question);
  await python.answers;
});
afterAll(async () => {
  for (const sdk of [node, polling]) endSdk(sdk);
  python.stop();
  service.stop();
  await Promise.all(running.map((replica) => replica.stop()));
  await instance.stop();
});

async function start(): Promise<Replica> {
  const { kubeconfig, home } = instance;
  const replica = await startReplica({ kubeconfig, home, settings: { VEXIL_AUTH: 'token' } });
  running.push(replica);
  await waitUntil({ what: 'the replica is ready' }, () => replica.isReady());
  return replica;
}

const turn = (enabled: boolean) =>
  instance.apply(aFlag(`${instance.home}/${WATCHED}`, { environments: { production: { ...on, enabled } } }));

async function untilSeen(wanted: boolean): Promise<void> {
  const seenBy = {
    'Node on a stream': () => node.isEnabled(WATCHED),
    'Node polling deltas': () => polling.isEnabled(WATCHED),
    Python: () => python.watched.at(-1) === 'true',
  };
  for (const [sdk, sees] of Object.entries(seenBy)) {
    await waitUntil({ what: `${sdk} has ${wanted}`, timeoutMs: 60_000 }, () => sees() === wanted);
  }
}

const streams = (replica: Replica) => replica.metric('vexil_sdk_streams');
const hydrations = (replica: Replica, by: 'streaming' | 'delta') =>
  replica.metric(`vexil_sdk_hydrations_total{by="${by}"}`);

test('each receives every change, by one stream or one hydration', async () => {
  const [first] = running as [Replica];
  await untilSeen(true);
  for (const wanted of [false, true, false]) {
    await turn(wanted);
    await untilSeen(wanted);
  }
  expect(await streams(first)).toBe(2);
  expect(await hydrations(first, 'streaming')).toBe(2);
  expect(await hydrations(first, 'delta')).toBe(1);
});

test('each continues with another replica when its own is killed', async () => {
  const second = await start();
  const [first] = running as [Replica];
  service.leadTo(second.url);
  first.send('SIGKILL');
  await turn(true);
  await untilSeen(true);
  await waitUntil({ what: 'both stream again', timeoutMs: 60_000 }, async () => (await streams(second)) === 2);
  await turn(false);
  await untilSeen(false);
  expect(await hydrations(second, 'delta')).toBe(1);
});

test('each receives a change that was made while no replica answered', async () => {
  const second = running.at(-1) as Replica;
  second.send('SIGKILL');
  await turn(true);
  const third = await start();
  service.leadTo(third.url);
  await untilSeen(true);
  expect(await hydrations(third, 'delta')).toBe(1);
});
