/** What the operator and an edge in front of it tell each other: revoked tokens, usage, chains. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../../support/admin-client.ts';
import { aFlag } from '../../support/builders.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { tokenValue } from '../../support/sdk-world.ts';
import { usageFile } from '../../support/stored-usage.ts';

interface Row {
  readonly yes: number;
  readonly no: number;
}

const ADMIN_TOKEN = 'the-token-of-the-operator';
const on = { enabled: true, strategies: { all: { name: 'default' } } };
let instance: Instance;
let file: Awaited<ReturnType<typeof usageFile>>;
let token: string;
let edge: RunningEdge;

beforeAll(async () => {
  file = await usageFile();
  instance = await startInstance('edge-operator', {
    settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN, ...file.settings },
  });
  token = await tokenValue(instance, 'backend');
  await instance.apply(aFlag(`${instance.home}/used`, { project: 'shop', environments: { production: on } }));
  edge = await startEdge({ UPSTREAM_URL: instance.url, TOKENS: token, METRICS_INTERVAL_SECONDS: '1' });
});
afterAll(async () => {
  await edge.stop();
  await instance.stop();
  await file.remove();
});

const statusOf = async (url: string, authorization: string) =>
  (await fetch(`${url}/api/client/features`, { headers: { authorization } })).status;

test('a token that is deleted at the operator stops working at the edge, and others go on', async () => {
  const short = await tokenValue(instance, 'short-lived', { projects: ['shop'] });
  expect(await statusOf(edge.url, short)).toBe(200);
  const alone = await startEdge({ UPSTREAM_URL: instance.url, TOKENS: short });
  expect(await statusOf(alone.url, short)).toBe(200);
  await instance.cluster.kubectlOrThrow(['delete', 'apitoken', 'short-lived', '-n', instance.home]);
  await waitUntil({ what: 'the token is refused', everyMs: 20 }, async () => {
    return (await statusOf(alone.url, short)) === 401;
  });
  expect(await statusOf(edge.url, token)).toBe(200);
  await alone.stop();
});

test('usage that is reported to an edge behind an edge arrives at the operator once', async () => {
  const second = await startEdge({ UPSTREAM_URL: edge.url, TOKENS: token, METRICS_INTERVAL_SECONDS: '1' });
  await waitUntil({ what: 'the flags arrive', everyMs: 20 }, async () => (await statusOf(second.url, token)) === 200);
  const toggles = { used: { yes: 3, no: 1, variants: {} } };
  const bucket = { start: new Date(), stop: new Date(), toggles };
  await fetch(`${second.url}/api/client/metrics`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ appName: 'far-away', instanceId: 'a', bucket }),
  });
  await second.stop();
  const call = adminClient(instance.url, { authorization: ADMIN_TOKEN });
  await waitUntil({ what: 'the operator has counted it', everyMs: 50 }, async () => {
    const { body } = await call('GET /client-metrics/features/used/raw');
    // There is a row for each hour, also without reports.
    const stored = body.data.filter(({ yes, no }: Row) => yes + no > 0);
    return stored.length === 1 && stored[0].appName === 'far-away' && `${stored[0].yes} ${stored[0].no}` === '3 1';
  });
});
