/** Replicas that are paused or cut off while callers give up: what they must not write or answer. */
import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { adminClient, errorBody } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { hold, refusal } from '../support/fault-proxy/faults.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import { expectFired, on, recordHistory, requestsFor, timesFired } from '../support/fault-proxy/report.ts';
import type { FaultProxy } from '../support/fault-proxy/start-fault-proxy.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';

const cluster = sharedCluster();
const FLAG = '/projects/shop/features/checkout';

let home: string;
let flags: FlagsDirectly;
let proxy: FaultProxy;
let direct: Replica;
let proxied: Replica;

beforeAll(async () => {
  home = await cluster.freshNamespace('paused-replica');
  flags = flagsDirectly(cluster.kubeconfig, home);
  await flags.apply('Environment', 'production', {});
  await flags.apply('Project', 'shop', {});
  const kubeconfig = await replicaKubeconfig(cluster, home);
  proxy = await proxyFor(cluster);
  direct = await startReplica({ home, kubeconfig });
  proxied = await startReplica({ home, kubeconfig: await proxiedKubeconfig(proxy, kubeconfig) });
  for (const { isReady } of [direct, proxied]) await waitUntil({ what: 'the replica is ready' }, isReady);
});

beforeEach(async () => {
  await flags.apply('FeatureFlag', 'checkout', { project: 'shop', description: 'v0' });
  await waitUntil({ what: 'both know the flag as it is' }, async () => {
    const answers = await Promise.all([direct, proxied].map(({ url }) => adminClient(url)(`GET ${FLAG}`)));
    return answers.every(({ body }) => body.description === 'v0');
  });
});

afterEach(({ task }) => {
  proxied.send('SIGCONT');
  proxy.release();
  recordHistory(proxy, task.name);
});

afterAll(async () => {
  await Promise.all([direct.stop(), proxied.stop()]);
  await proxy.stop();
  flags.close();
});

const changeTo = (value: string) => [{ op: 'replace', path: '/description', value }];
const descriptionNow = async () => (await flags.get('checkout')).spec?.['description'];

/** A call whose caller can disconnect. */
function begin(replica: Replica, value: string): { readonly sent: Promise<void>; hangUp(): void } {
  const headers = { 'content-type': 'application/json', 'x-request-id': `given-up-${value}` };
  const outgoing = request(`${replica.url}/api/admin${FLAG}`, { method: 'PATCH', agent: false, headers });
  const sent = new Promise<void>((resolve) => outgoing.end(JSON.stringify(changeTo(value)), resolve));
  outgoing.on('error', () => undefined);
  return { sent, hangUp: () => outgoing.destroy() };
}

const isRefused = (replica: Replica, value: string) =>
  replica.lines.some((line) => line.includes(`given-up-${value}`) && line.includes('The caller has disconnected'));

test('a replica that was paused does not carry out a request that its caller gave up meanwhile, over newer writes', async () => {
  const call = adminClient(direct.url);
  proxied.send('SIGSTOP');
  const abandoned = begin(proxied, 'v1');
  await abandoned.sent;
  abandoned.hangUp();
  for (const value of ['v1', 'v2', 'v3']) {
    expect((await call(`PATCH ${FLAG}`, { body: changeTo(value) })).status).toBe(200);
  }
  proxied.send('SIGCONT');
  await waitUntil({ what: 'the call is refused, or carried out' }, async () => {
    return isRefused(proxied, 'v1') || (await descriptionNow()) !== 'v3';
  });
  expect(await descriptionNow()).toBe('v3');
});

test('a change that lost a race is not retried for a caller that has disconnected', async () => {
  const [loses, waits] = [refusal(409), hold];
  const before = requestsFor(proxy.arrived, 'featureflags', 'patch').length;
  proxy.inject({ fault: loses, match: on('featureflags', 'patch'), times: 1 });
  proxy.inject({ fault: waits, match: on('featureflags', 'get'), times: 1 });
  const abandoned = begin(proxied, 'v4');
  await waitUntil({ what: 'the flag is fetched for another try' }, () => timesFired(proxy, waits) > 0);
  abandoned.hangUp();
  proxy.release();
  await waitUntil({ what: 'the call is refused, or carried out' }, async () => {
    return isRefused(proxied, 'v4') || (await descriptionNow()) !== 'v0';
  });
  expect(await descriptionNow()).toBe('v0');
  expect(requestsFor(proxy.arrived, 'featureflags', 'patch')).toHaveLength(before + 1);
  for (const fault of [loses, waits]) expectFired(proxy, fault);
});

test('a replica that is cut off reports that it cannot answer unknown values, and logs no error', async () => {
  const [knows, isCutOff] = [adminClient(direct.url), adminClient(proxied.url)];
  await proxy.close();
  try {
    expect((await knows('POST /projects/shop/features', { body: { name: 'made-meanwhile' } })).status).toBe(201);
    const path = '/projects/shop/features/made-meanwhile';
    await waitUntil(
      { what: 'it knows that it is cut off' },
      async () => (await isCutOff(`GET ${path}`)).status === 503,
    );
    for (const { method, body } of [{ method: 'GET' }, { method: 'PATCH', body: changeTo('x') }]) {
      const answer = await isCutOff(`${method} ${path}`, body && { body });
      expect([answer.status, errorBody.parse(answer.body).name]).toEqual([503, 'UnavailableError']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect((await isCutOff('GET /projects/shop/features')).status).toBe(200);
    expect((await isCutOff(`GET ${FLAG}`)).status).toBe(200);
    expect((await isCutOff('GET /no/such/path')).status).toBe(404);
  } finally {
    await proxy.open();
  }
  await waitUntil({ what: 'it knows what is there and what is not' }, async () => {
    const asked = ['made-meanwhile', 'never-made'].map((name) => isCutOff(`GET /projects/shop/features/${name}`));
    const [made, never] = await Promise.all(asked);
    return made?.status === 200 && never?.status === 404;
  });
  expect(proxied.lines.filter((line) => line.includes('"error"') && JSON.parse(line).level === 'error')).toEqual([]);
});
