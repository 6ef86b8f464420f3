/** The Node SDK of Unleash, unmodified, with deltas and streams. */
import type { Unleash } from 'unleash-client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aSegment } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import { readMetric } from '../support/read-metric.ts';
import { endSdk, nextEvent, type SdkOptions, startSdk, tokenValue, untilSdk } from '../support/sdk-world.ts';
import { startService } from '../support/service.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };
const off = { ...on, enabled: false };
const streaming = { experimentalMode: { type: 'streaming' } } as const;
const deltas = { experimentalMode: { type: 'polling', format: 'delta' } } as const;
let instance: Instance;
let token: string;
const running: Unleash[] = [];

beforeAll(async () => {
  instance = await startInstance('stream-sdk', { settings: { VEXIL_AUTH: 'token' } });
  token = await tokenValue(instance, 'backend');
});
afterAll(() => instance.stop());
afterEach(() => {
  for (const sdk of running.splice(0)) endSdk(sdk);
});

function start(options: Partial<SdkOptions>, url = instance.url): Unleash {
  const sdk = startSdk(url, { token, ...options });
  running.push(sdk);
  return sdk;
}

const apply = (name: string, spec: object) => instance.apply(aFlag(`${instance.home}/${name}`, spec));
const hydrations = (by: string) => readMetric(instance.opsUrl, `vexil_sdk_hydrations_total{by="${by}"}`);

describe.each([
  ['streaming', streaming],
  ['delta', deltas],
] as const)('%s', (by, mode) => {
  test('receives a flag that kubectl switches, archives and revives, and all flags once', async () => {
    await apply('switched', { archived: false, environments: { production: on } });
    const before = await hydrations(by);
    const sdk = start(mode);
    await nextEvent(sdk, 'synchronized');
    expect(sdk.isEnabled('switched')).toBe(true);
    await apply('switched', { environments: { production: off } });
    await untilSdk('the flag is off', () => !sdk.isEnabled('switched', {}, true));
    await apply('switched', { archived: true, environments: { production: on } });
    await untilSdk('the flag is gone', () => sdk.getFeatureToggleDefinition('switched') === undefined);
    await apply('switched', { archived: false, environments: { production: on } });
    await untilSdk('the flag is back', () => sdk.isEnabled('switched'));
    expect(await hydrations(by)).toBe(before + 1);
  });

  test('receives a segment that kubectl changes', async () => {
    const staff = (team: string) =>
      aSegment(`${instance.home}/staff`, { constraints: [{ contextName: 'team', operator: 'IN', values: [team] }] });
    await instance.apply(staff('red'));
    const strategies = { some: { name: 'default', segments: ['staff'] } };
    await apply('for-staff', { environments: { production: { enabled: true, strategies } } });
    const sdk = start(mode);
    await nextEvent(sdk, 'synchronized');
    const seenBy = () => ['red', 'blue'].map((team) => sdk.isEnabled('for-staff', { properties: { team } }));
    await untilSdk('the flag is on for red', () => `${seenBy()}` === 'true,false');
    await instance.apply(staff('blue'));
    await untilSdk('the flag is on for blue', () => `${seenBy()}` === 'false,true');
  });
});

test('polls if no more streams may be open', async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_SDK_STREAM_LIMIT: '0' };
  const { home, other, cluster } = instance;
  const replica = await startOperator(cluster, home, { watched: [other], settings });
  await apply('polled', { environments: { production: on } });
  const sdk = start(streaming, replica.url);
  await nextEvent(sdk, 'synchronized');
  await untilSdk('the flag is on', () => sdk.isEnabled('polled'));
  expect(await readMetric(replica.opsUrl, 'vexil_sdk_streams')).toBe(0);
  endSdk(sdk);
  await replica.stop();
});

test('polls while the operator restarts, then streams again if streams are requested', async () => {
  const { cluster, home, other } = instance;
  const startAgain = () => startOperator(cluster, home, { watched: [other], settings: { VEXIL_AUTH: 'token' } });
  await apply('restarted', { environments: { production: on } });
  const first = await startAgain();
  const service = await startService(first.url);
  const plain = start(streaming, service.url);
  const asking = start(
    { ...streaming, customHeaders: { Authorization: token, 'Fetch-Mode': 'streaming' } },
    service.url,
  );
  await Promise.all([nextEvent(plain, 'synchronized'), nextEvent(asking, 'synchronized')]);
  // Polls fail while no operator runs, and an error without a listener would end an application.
  for (const sdk of [plain, asking]) sdk.on('error', () => undefined);
  await first.stop();
  expect(plain.isEnabled('restarted')).toBe(true);
  await apply('restarted', { environments: { production: off } });
  const second = await startAgain();
  service.leadTo(second.url);
  for (const sdk of [plain, asking]) {
    await untilSdk('the flag is off', () => !sdk.isEnabled('restarted', {}, true));
  }
  // A poll may have brought the change before the stream is open.
  const streams = () => readMetric(second.opsUrl, 'vexil_sdk_streams');
  await waitUntil({ what: 'a stream is open', everyMs: 20 }, async () => (await streams()) > 0);
  expect(await streams()).toBe(1);
  endSdk(asking);
  endSdk(plain);
  await second.stop();
  service.stop();
});
