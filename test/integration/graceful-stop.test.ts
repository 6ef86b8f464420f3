/** How the operator, as a process of its own, reacts to signals. */
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { errorBody } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Fault, hold, holdAnswer, stall } from '../support/fault-proxy/faults.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import { expectFired, on, recordHistory, timesFired } from '../support/fault-proxy/report.ts';
import type { FaultProxy } from '../support/fault-proxy/start-fault-proxy.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';

const cluster = sharedCluster();
const keptAlive = new Agent({ keepAlive: true, maxSockets: 1 });
let home: string;
let kubeconfig: string;
let flags: FlagsDirectly;
let proxy: FaultProxy;
let replica: Replica;

beforeAll(async () => {
  home = await cluster.freshNamespace('graceful-stop');
  kubeconfig = await replicaKubeconfig(cluster, home);
  flags = flagsDirectly(cluster.kubeconfig, home);
  await flags.apply('Environment', 'production', {});
  await flags.apply('Project', 'shop', {});
});

beforeEach(async () => {
  for (const name of ['checkout', 'search']) {
    await flags.apply('FeatureFlag', name, { project: 'shop', description: 'before', stale: false });
  }
  proxy = await proxyFor(cluster);
});

async function startOperator(): Promise<void> {
  replica = await startReplica({ home, kubeconfig: await proxiedKubeconfig(proxy, kubeconfig) });
}

async function startReady(): Promise<void> {
  await startOperator();
  await waitUntil({ what: 'it is ready' }, replica.isReady);
}

afterEach(async ({ task }) => {
  recordHistory(proxy, task.name);
  proxy.release();
  await replica.stop();
  await proxy.stop();
});

afterAll(() => {
  flags.close();
  keptAlive.destroy();
});

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly requestId: string | readonly string[] | undefined;
  readonly body: string;
  readonly socket: Socket;
}

/** Makes one call of the admin API over a connection of the test. */
function call(agent: Agent | false, method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'of-this-test' };
    const outgoing = request(`${replica.url}/api/admin${path}`, { agent, method, headers }, (answer) => {
      const { statusCode: status, socket } = answer;
      const { connection, 'x-request-id': requestId } = answer.headers;
      text(answer).then((read) => resolve({ status, connection, requestId, body: read, socket }), reject);
    });
    outgoing.once('error', reject);
    outgoing.end(body && JSON.stringify(body));
  });
}

const pathOf = (name: string) => `/projects/shop/features/${name}`;
const FLAG = pathOf('checkout');
const changeTwoFields = [
  { op: 'replace', path: '/description', value: 'after' },
  { op: 'replace', path: '/stale', value: true },
];

/** Begins a change whose request or answer the proxy delays until it is released. */
async function beginChange(fault: Fault, name = 'checkout'): Promise<{ readonly answer: Promise<Answer> }> {
  const match = on('featureflags', 'patch');
  proxy.inject({ fault, match: (request) => match(request) && request.name === name, times: 1 });
  const change = call(false, 'PATCH', pathOf(name), changeTwoFields);
  change.catch(() => undefined);
  await waitUntil({ what: 'the change is under way' }, () => timesFired(proxy, fault) > 0);
  return { answer: change };
}

const untilStopping = () => waitUntil({ what: 'readyz says no' }, async () => !(await replica.isReady()));

test('on SIGTERM changes under way are finished, new requests are sent elsewhere, the process ends with 0', async () => {
  await startReady();
  const first = await call(keptAlive, 'GET', FLAG);
  expect(first.status).toBe(200);
  // One has not reached the API server yet, the other one is done but not acknowledged yet.
  const changes = [
    { name: 'checkout', fault: hold },
    { name: 'search', fault: holdAnswer },
  ];
  const answers: Promise<Answer>[] = [];
  for (const { fault, name } of changes) answers.push((await beginChange(fault, name)).answer);
  replica.send('SIGTERM');
  await untilStopping();

  const again = await call(keptAlive, 'GET', FLAG);
  expect(again.socket).toBe(first.socket);
  const elsewhere = await call(false, 'GET', FLAG);
  for (const { status, connection, requestId, body } of [again, elsewhere]) {
    expect([status, connection, requestId]).toEqual([503, 'close', 'of-this-test']);
    expect(errorBody.parse(JSON.parse(body)).name).toBe('UnavailableError');
  }

  proxy.release();
  for (const { status, body } of await Promise.all(answers)) {
    expect([status, JSON.parse(body)]).toMatchObject([200, { description: 'after', stale: true }]);
  }
  expect(await replica.ended).toEqual({ code: 0, signal: null });
  for (const { fault, name } of changes) {
    expect((await flags.get(name)).spec).toMatchObject({ description: 'after', stale: true });
    expectFired(proxy, fault);
  }
});

test('a second signal ends the process at once with 1; the change is stored completely or not at all', async () => {
  await startReady();
  const change = await beginChange(hold);
  replica.send('SIGTERM');
  await untilStopping();
  replica.send('SIGTERM');
  expect(await replica.ended).toEqual({ code: 1, signal: null });
  await expect(change.answer).rejects.toMatchObject({ code: 'ECONNRESET' });
  proxy.release();
  expect((await flags.get('checkout')).spec).toMatchObject({ description: 'before', stale: false });
  expectFired(proxy, hold);
});

test('neither an API server that is down nor an idle connection keeps the process from ending with 0', async () => {
  await startReady();
  await call(keptAlive, 'GET', FLAG);
  await proxy.close();
  replica.send('SIGTERM');
  expect(await replica.ended).toEqual({ code: 0, signal: null });
  await expect(call(false, 'GET', FLAG)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a change that hangs is answered 503 after ten seconds, then the process ends with 0', async () => {
  await startReady();
  const change = await beginChange(hold);
  replica.send('SIGTERM');
  expect(await change.answer).toMatchObject({ status: 503 });
  expect(await replica.ended).toEqual({ code: 0, signal: null });
  expectFired(proxy, hold);
});

test('an operator that waits for its first list also ends with 0', async () => {
  proxy.inject({ fault: stall, match: () => true });
  await startOperator();
  await waitUntil({ what: 'its lists hang' }, () => timesFired(proxy, stall) >= 3);
  replica.send('SIGTERM');
  expect(await replica.ended).toEqual({ code: 0, signal: null });
});
