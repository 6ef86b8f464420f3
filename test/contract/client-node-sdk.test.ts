/** The Node SDK of Unleash, unmodified, against the client API: polls, deltas and streams. */
import type { Unleash } from 'unleash-client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aSegment } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import { readMetric } from '../support/read-metric.ts';
import { endSdk, nextEvent, type SdkOptions, startSdk, tokenValue, untilSdk } from '../support/sdk-world.ts';
import { startService } from '../support/service.ts';
import { openStoredUsage, usageFile } from '../support/stored-usage.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };
const off = { ...on, enabled: false };
const streaming = { experimentalMode: { type: 'streaming' } } as const;
const deltas = { experimentalMode: { type: 'polling', format: 'delta' } } as const;
let instance: Instance;
let token: string;
let file: Awaited<ReturnType<typeof usageFile>>;
const running: Unleash[] = [];

beforeAll(async () => {
  file = await usageFile();
  instance = await startInstance('client-sdk', { settings: { VEXIL_AUTH: 'token', ...file.settings } });
  token = await tokenValue(instance, 'backend');
});
afterAll(async () => {
  await instance.stop();
  await file.remove();
});
afterEach(() => {
  for (const sdk of running.splice(0)) endSdk(sdk);
});

function start(options: Partial<SdkOptions> = {}, url = instance.url): Unleash {
  const sdk = startSdk(url, { token, ...options });
  running.push(sdk);
  return sdk;
}

const apply = (name: string, spec: object) => instance.apply(aFlag(`${instance.home}/${name}`, spec));
const hydrations = (by: string) => readMetric(instance.opsUrl, `vexil_sdk_hydrations_total{by="${by}"}`);

test('becomes ready, and sees a flag that kubectl switches, archives and brings back', async () => {
  await apply('switched', { environments: { production: on } });
  const sdk = start();
  await nextEvent(sdk, 'synchronized');
  expect(sdk.isEnabled('switched')).toBe(true);
  await apply('switched', { environments: { production: off } });
  await untilSdk('the flag is off', () => !sdk.isEnabled('switched', {}, true));
  await apply('switched', { archived: true, environments: { production: on } });
  await untilSdk('the flag is gone', () => sdk.getFeatureToggleDefinition('switched') === undefined);
  expect(sdk.isEnabled('switched', {}, true)).toBe(true);
  await apply('switched', { archived: false, environments: { production: on } });
  await untilSdk('the flag is back', () => sdk.isEnabled('switched'));
});

test('variants arrive with their payloads, and users keep theirs', async () => {
  const payload = { type: 'json' as const, value: '{"colour":"red"}' };
  const variants = [
    { name: 'red', payload },
    { name: 'blue', weightType: 'fix' as const, weight: 300 },
  ];
  await apply('coloured', { variants, environments: { production: on } });
  const sdk = start();
  await nextEvent(sdk, 'synchronized');
  const users = Array.from({ length: 200 }, (_, number) => ({ userId: `${number}` }));
  const chosen = users.map((user) => sdk.getVariant('coloured', user));
  expect(chosen.filter(({ name }) => name === 'red').map((variant) => variant.payload)).toContainEqual(payload);
  expect(new Set(chosen.map(({ name }) => name))).toEqual(new Set(['red', 'blue']));
  const other = start();
  await nextEvent(other, 'synchronized');
  expect(users.map((user) => other.getVariant('coloured', user).name)).toEqual(chosen.map(({ name }) => name));
});

test('a flag follows its parent, and is off while the parent is missing', async () => {
  await apply('parent', { variants: [{ name: 'blue' }], environments: { production: on } });
  const child = (dependency: object) => ({
    dependencies: [{ feature: 'parent', ...dependency }],
    environments: { production: on },
  });
  await apply('with-parent', child({ variants: ['blue'] }));
  await apply('without-parent', child({ enabled: false }));
  const sdk = start();
  await nextEvent(sdk, 'synchronized');
  const follow = () => ['with-parent', 'without-parent'].map((name) => sdk.isEnabled(name, {}, true));
  expect(follow()).toEqual([true, false]);
  await apply('parent', { variants: [{ name: 'blue' }], environments: { production: off } });
  await untilSdk('the children follow', () => `${follow()}` === 'false,true');
  await apply('parent', { archived: true });
  await untilSdk('the children are off', () => `${follow()}` === 'false,false');
});

test('a segment selects users: its change affects all its flags, and without it they are off', async () => {
  const { cluster, home } = instance;
  const ofUser = (...values: string[]) =>
    aSegment(`${home}/beta`, { constraints: [{ contextName: 'userId', operator: 'IN', values }] });
  const strategies = { beta: { name: 'default', segments: ['beta'] } };
  await instance.apply(ofUser('1'));
  for (const name of ['segmented', 'segmented-too']) {
    await apply(name, { environments: { production: { enabled: true, strategies } } });
  }
  const sdk = start();
  await nextEvent(sdk, 'synchronized');
  const answers = (userId: string) => ['segmented', 'segmented-too'].map((name) => sdk.isEnabled(name, { userId }));
  expect([answers('1'), answers('2')]).toEqual([
    [true, true],
    [false, false],
  ]);
  await instance.apply(ofUser('2'));
  await untilSdk('another user is in', () => `${[answers('1'), answers('2')]}` === 'false,false,true,true');
  await cluster.deleteObject('fseg/beta', home);
  await untilSdk('no user is in the segment', () => `${[answers('1'), answers('2')]}` === 'false,false,false,false');
});

test('the second poll is answered 304', async () => {
  const sdk = start();
  await nextEvent(sdk, 'synchronized');
  await nextEvent(sdk, 'unchanged');
});

test('a wrong token is an error, and never turns a flag on', async () => {
  const sdk = start({ token: `*:production.${'0'.repeat(56)}` });
  const error = await nextEvent(sdk, 'error');
  expect(`${error}`).toContain('401');
  expect(sdk.isEnabled('switched')).toBe(false);
});

describe.each([
  ['streaming', streaming],
  ['delta', deltas],
] as const)('%s', (by, mode) => {
  test('receives a flag that kubectl switches, archives and revives, and all flags once', async () => {
    await apply('switched-again', { archived: false, environments: { production: on } });
    const before = await hydrations(by);
    const sdk = start(mode);
    await nextEvent(sdk, 'synchronized');
    expect(sdk.isEnabled('switched-again')).toBe(true);
    await apply('switched-again', { environments: { production: off } });
    await untilSdk('the flag is off', () => !sdk.isEnabled('switched-again', {}, true));
    await apply('switched-again', { archived: true, environments: { production: on } });
    await untilSdk('the flag is gone', () => sdk.getFeatureToggleDefinition('switched-again') === undefined);
    await apply('switched-again', { archived: false, environments: { production: on } });
    await untilSdk('the flag is back', () => sdk.isEnabled('switched-again'));
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

test('keeps its flags while the operator restarts, then receives the changes, and streams again if streams are requested', async () => {
  const { cluster, home, other } = instance;
  const startAgain = () => startOperator(cluster, home, { watched: [other], settings: { VEXIL_AUTH: 'token' } });
  await apply('restarted', { environments: { production: on } });
  const first = await startAgain();
  const service = await startService(first.url);
  const polling = start({}, service.url);
  const plain = start(streaming, service.url);
  const asking = start(
    { ...streaming, customHeaders: { Authorization: token, 'Fetch-Mode': 'streaming' } },
    service.url,
  );
  const all = [polling, plain, asking];
  await Promise.all(all.map((sdk) => nextEvent(sdk, 'synchronized')));
  // Polls fail while no operator runs, and an error without a listener would end an application.
  for (const sdk of all) sdk.on('error', () => undefined);
  const failed = Promise.race([nextEvent(polling, 'warn'), nextEvent(polling, 'error')]);
  await first.stop();
  await failed;
  for (const sdk of all) expect(sdk.isEnabled('restarted')).toBe(true);
  await apply('restarted', { environments: { production: off } });
  const second = await startAgain();
  service.leadTo(second.url);
  for (const sdk of all) await untilSdk('the flag is off', () => !sdk.isEnabled('restarted', {}, true));
  // A poll may have brought the change before the stream is open.
  const streams = () => readMetric(second.opsUrl, 'vexil_sdk_streams');
  await waitUntil({ what: 'a stream is open', everyMs: 20 }, async () => (await streams()) > 0);
  expect(await streams()).toBe(1);
  for (const sdk of all) endSdk(sdk);
  await second.stop();
  service.stop();
});

test('reports its evaluations: each answer is stored once, with its variant, for the application', async () => {
  await apply('counted', { variants: [{ name: 'blue' }], environments: { production: on } });
  await apply('counted-off', { environments: { production: off } });
  const sdk = start({ disableMetrics: false, appName: 'counting' });
  await Promise.all([nextEvent(sdk, 'registered'), nextEvent(sdk, 'synchronized')]);
  for (let count = 0; count < 3; count += 1) {
    sdk.isEnabled('counted');
    sdk.getVariant('counted');
    sdk.isEnabled('counted-off');
  }
  const stored = openStoredUsage(file.url);
  const rowsOf = async (name: string) => {
    const { metadata } = await instance.flag(`${instance.home}/${name}`);
    return stored.countsOf(metadata.uid, { grain: 'hour', since: 0 });
  };
  const place = { environment: 'production', appName: 'counting' };
  const counted = [{ ...place, yes: 6, no: 0, variants: { blue: 3 } }];
  const countedOff = [{ ...place, yes: 0, no: 3, variants: {} }];
  await waitUntil({ what: 'all is stored' }, async () => {
    return (await rowsOf('counted'))[0]?.yes === 6 && (await rowsOf('counted-off')).length > 0;
  });
  expect([await rowsOf('counted'), await rowsOf('counted-off')]).toMatchObject([counted, countedOff]);
  expect(await stored.application('counting')).toMatchObject({
    strategies: expect.arrayContaining(['default', 'flexibleRollout']),
    environments: [{ environment: 'production', instanceCount: 1, sdkVersions: [expect.stringMatching(/node.*:6/)] }],
  });
  await stored.close();
  const series = 'vexil_sdk_evaluations_total{environment="production",result="yes"}';
  expect(await readMetric(instance.opsUrl, series)).toBeGreaterThan(0);
});
