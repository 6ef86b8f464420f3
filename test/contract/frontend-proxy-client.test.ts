/** The SDK of Unleash for browsers, unmodified, in Node, against the frontend API. */
import { InMemoryStorageProvider, UnleashClient } from 'unleash-proxy-client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { readMetric } from '../support/read-metric.ts';
import { tokenValue } from '../support/sdk-world.ts';
import { openStoredUsage, usageFile } from '../support/stored-usage.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };
const forAda = {
  enabled: true,
  strategies: { ada: { name: 'userWithId', parameters: { userIds: 'ada' } } },
};
let instance: Instance;
let token: string;
let file: Awaited<ReturnType<typeof usageFile>>;
const running: UnleashClient[] = [];

beforeAll(async () => {
  file = await usageFile();
  instance = await startInstance('frontend-sdk', { settings: { VEXIL_AUTH: 'token', ...file.settings } });
  const payload = { type: 'json' as const, value: '{"colour":"red"}' };
  await instance.apply(
    aFlag(`${instance.home}/plain`, { environments: { production: on } }),
    aFlag(`${instance.home}/coloured`, { variants: [{ name: 'red', payload }], environments: { production: on } }),
    aFlag(`${instance.home}/for-ada`, { environments: { production: forAda } }),
    aFlag(`${instance.home}/off`, { environments: { development: on } }),
  );
  token = await tokenValue(instance, 'page', { type: 'frontend' });
});
afterAll(async () => {
  await instance.stop();
  await file.remove();
});
afterEach(() => {
  for (const client of running.splice(0)) client.stop();
});

type Options = Partial<ConstructorParameters<typeof UnleashClient>[0]>;

/** The client polls only when the test asks it to, unless the options say otherwise. */
function newClient(options: Options = {}): UnleashClient {
  const client = new UnleashClient({
    url: `${instance.url}/api/frontend`,
    clientKey: token,
    appName: 'test',
    storageProvider: new InMemoryStorageProvider(),
    disableRefresh: true,
    disableMetrics: true,
    ...options,
  });
  running.push(client);
  return client;
}

test.each([
  ['in the query', false],
  ['in the body', true],
])('a context %s: flags, variants with payloads, and new ones when the user changes', async (_, usePOSTrequests) => {
  const client = newClient({ usePOSTrequests });
  await client.start();
  expect(['plain', 'off', 'for-ada', 'none'].map((name) => client.isEnabled(name))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(client.getVariant('coloured')).toMatchObject({
    name: 'red',
    enabled: true,
    payload: { type: 'json', value: '{"colour":"red"}' },
  });
  expect(client.getVariant('plain')).toMatchObject({ name: 'disabled', enabled: false, feature_enabled: true });
  await client.updateContext({ userId: 'ada', properties: { plan: 'pro' } });
  expect(client.isEnabled('for-ada')).toBe(true);
});

test('an answer that has not changed is 304, and a change of kubectl arrives with the next one', async () => {
  const statuses: number[] = [];
  const watched = async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request);
    statuses.push(response.status);
    return response;
  };
  await instance.apply(aFlag(`${instance.home}/switched`, { environments: { production: on } }));
  const client = newClient({ fetch: watched });
  await client.start();
  await client.updateToggles();
  expect(statuses).toEqual([200, 304]);
  expect(client.isEnabled('switched')).toBe(true);
  await instance.apply(aFlag(`${instance.home}/switched`, { environments: { production: { ...on, enabled: false } } }));
  await client.updateToggles();
  expect([statuses.at(-1), client.isEnabled('switched')]).toEqual([200, false]);
});

test('a wrong token is an error, and never turns a flag on', async () => {
  const client = newClient({ clientKey: `*:production.${'0'.repeat(56)}` });
  const error = new Promise((resolve) => void client.once('error', resolve));
  await client.start();
  expect(await error).toMatchObject({ code: 401 });
  expect(client.isEnabled('plain')).toBe(false);
});

test('reports what it has evaluated', async () => {
  const series = 'vexil_sdk_evaluations_total{environment="production",result="yes"}';
  const client = newClient({ disableMetrics: false, metricsInterval: 30, metricsIntervalInitial: 0 });
  await client.start();
  client.isEnabled('plain');
  await client.sendMetrics();
  await waitUntil(
    { what: 'the report is counted' },
    async () => ((await readMetric(instance.opsUrl, series)) ?? 0) > 0,
  );
  const stored = openStoredUsage(file.url);
  const { metadata } = await instance.flag(`${instance.home}/plain`);
  await waitUntil({ what: 'it is stored' }, async () => (await stored.totalOf(metadata.uid)).yes === 1);
  expect(await stored.application('test')).toMatchObject({ environments: [{ instanceCount: 0 }] });
  await stored.close();
});
