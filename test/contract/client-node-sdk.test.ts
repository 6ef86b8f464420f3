/** The Node SDK of Unleash, unmodified, against the client API. */
import type { Unleash } from 'unleash-client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { aFlag, aSegment } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import { readMetric } from '../support/read-metric.ts';
import { endSdk, nextEvent, type SdkOptions, startSdk, tokenValue, untilSdk } from '../support/sdk-world.ts';
import { startService } from '../support/service.ts';
import { openStoredUsage, usageFile } from '../support/stored-usage.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };
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

function start(options: Partial<SdkOptions> = {}): Unleash {
  const sdk = startSdk(instance.url, { token, ...options });
  running.push(sdk);
  return sdk;
}

const apply = (name: string, spec: object) => instance.apply(aFlag(`${instance.home}/${name}`, spec));

test('becomes ready, and sees a flag that kubectl switches, archives and brings back', async () => {
  await apply('switched', { environments: { production: on } });
  const sdk = start();
  await nextEvent(sdk, 'synchronized');
  expect(sdk.isEnabled('switched')).toBe(true);
  await apply('switched', { environments: { production: { ...on, enabled: false } } });
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
  await apply('parent', { variants: [{ name: 'blue' }], environments: { production: { ...on, enabled: false } } });
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

test('keeps its flags while the operator restarts, and then receives the changes', async () => {
  const { cluster, home, other } = instance;
  const startAgain = () => startOperator(cluster, home, { watched: [other], settings: { VEXIL_AUTH: 'token' } });
  await apply('restarted', { environments: { production: on } });
  const first = await startAgain();
  const service = await startService(first.url);
  const sdk = startSdk(service.url, { token });
  running.push(sdk);
  await nextEvent(sdk, 'synchronized');
  const failed = Promise.race([nextEvent(sdk, 'warn'), nextEvent(sdk, 'error')]);
  await first.stop();
  await failed;
  expect(sdk.isEnabled('restarted')).toBe(true);
  await apply('restarted', { environments: { production: { ...on, enabled: false } } });
  const second = await startAgain();
  service.leadTo(second.url);
  await untilSdk('the flag is off', () => !sdk.isEnabled('restarted', {}, true));
  endSdk(sdk);
  await second.stop();
  service.stop();
});

test('reports its evaluations: each answer is stored once, with its variant, for the application', async () => {
  await apply('counted', { variants: [{ name: 'blue' }], environments: { production: on } });
  await apply('counted-off', { environments: { production: { ...on, enabled: false } } });
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
  const off = [{ ...place, yes: 0, no: 3, variants: {} }];
  await waitUntil({ what: 'all is stored' }, async () => {
    return (await rowsOf('counted'))[0]?.yes === 6 && (await rowsOf('counted-off')).length > 0;
  });
  expect([await rowsOf('counted'), await rowsOf('counted-off')]).toMatchObject([counted, off]);
  expect(await stored.application('counting')).toMatchObject({
    strategies: expect.arrayContaining(['default', 'flexibleRollout']),
    environments: [{ environment: 'production', instanceCount: 1, sdkVersions: [expect.stringMatching(/node.*:6/)] }],
  });
  await stored.close();
  const series = 'vexil_sdk_evaluations_total{environment="production",result="yes"}';
  expect(await readMetric(instance.opsUrl, series)).toBeGreaterThan(0);
});
