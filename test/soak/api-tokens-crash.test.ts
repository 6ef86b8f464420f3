/**
 * API tokens when their leader is killed between Secret and status, when answers are lost, and with two leaders at
 * once.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anEnvironment } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Fault, hold, holdAnswer, lostAnswer, reset, statusOf } from '../support/fault-proxy/faults.ts';
import { type BehindProxy, startBehindProxy } from '../support/fault-proxy/operator-behind-proxy.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import { expectFired, on, requestsFor, timesFired } from '../support/fault-proxy/report.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import { digestOf, type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';

const cluster = sharedCluster();
const alone = { VEXIL_LEADER_ELECTION: 'false', VEXIL_LOG_LEVEL: 'debug' };

let home: string;
let kubeconfig: string;
let tokens: TokensDirectly;
let replicas: Replica[];

beforeEach(async () => {
  home = await cluster.freshNamespace('tokens-crash');
  kubeconfig = await replicaKubeconfig(cluster, home);
  tokens = tokensDirectly(cluster.kubeconfig, home);
  replicas = [];
  const input = JSON.stringify(anEnvironment(`${home}/production`));
  await cluster.kubectlOrThrow(['apply', '-f', '-'], { input });
});

afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await tokens.expectNoValueRecorded();
  tokens.close();
});

async function start(config = kubeconfig): Promise<Replica> {
  const replica = await startReplica({ kubeconfig: config, home, settings: alone });
  replicas.push(replica);
  await waitUntil({ what: 'the replica is ready' }, replica.isReady);
  return replica;
}

test('a leader that is killed between Secret and status: the next one uses the existing value', async () => {
  const proxy = await proxyFor(cluster);
  proxy.inject({ fault: hold, match: on('apitokens/status', 'patch'), times: 10 });
  const first = await start(await proxiedKubeconfig(proxy, kubeconfig));
  await tokens.create('resumed');
  const made = await waitUntil({ what: 'the Secret is there' }, () => tokens.generated('resumed'));
  await waitUntil({ what: 'the status is held back' }, () => timesFired(proxy, hold) > 0);
  first.send('SIGKILL');
  await first.ended;
  expect((await tokens.token('resumed')).status).toBeUndefined();

  await start();
  const value = await tokens.untilReady('resumed');
  expect(await tokens.generated('resumed')).toEqual(made);
  expect(tokens.values).toEqual(new Set([value]));
  await proxy.stop();
});

test('two leaders at once agree on one value for each token', async () => {
  await Promise.all([start(), start()]);
  const names = Array.from({ length: 40 }, (_, index) => `token-${index}`);
  await Promise.all(names.map((name) => tokens.create(name)));
  const values = [];
  for (const name of names) values.push(await tokens.untilReady(name));
  expect(new Set(values).size).toBe(names.length);
  // No other value was in a Secret in between, so none was replaced.
  expect(tokens.values.size).toBe(names.length);
});

describe('behind a network that fails', () => {
  let operator: BehindProxy;
  const ofKey = 1;
  const created = (requests: BehindProxy['proxy']['arrived']) => requestsFor(requests, 'secrets', 'create').length;

  beforeEach(async () => {
    // An answer that is held back must be awaited until the test releases it.
    const settings = { ...alone, VEXIL_API_SERVER_TIMEOUT: '5m' };
    operator = await startBehindProxy({ plane: cluster, kubeconfig, home, settings });
    await operator.ready();
    // The first Secret has the key that signs the heads of the history.
    await waitUntil({ what: 'the key is there' }, () => created(operator.proxy.reached) === ofKey);
  });
  afterEach(async ({ task }) => {
    await tokens.expectNoValueRecorded(JSON.stringify(operator.log));
    await operator.stop(task.name);
  });

  test('a Secret is used although the answer to its creation was lost', async () => {
    operator.proxy.inject({ fault: lostAnswer, match: on('secrets', 'create'), times: 1 });
    await tokens.create('unanswered');
    await tokens.untilReady('unanswered');
    expectFired(operator.proxy, lostAnswer);
    expect(created(operator.proxy.reached)).toBe(ofKey + 1);
  });

  test('a status that did not arrive is written again, with the same value', async () => {
    operator.proxy.inject({ fault: reset, match: on('apitokens/status', 'patch'), times: 3 });
    await tokens.create('late');
    await tokens.untilReady('late');
    expectFired(operator.proxy, reset, 3);
    expect(created(operator.proxy.reached)).toBe(ofKey + 1);
  });

  test('an operator that receives a status late makes no second value for a token that has lost its Secret', async () => {
    // The operator behind the proxy reads a Secret that does not exist, and receives the answer late.
    operator.proxy.inject({ fault: holdAnswer, match: on('secrets', 'get'), times: 1 });
    await tokens.create('behind');
    await waitUntil({ what: 'the answer is held back' }, () => timesFired(operator.proxy, holdAnswer) === 1);
    const other = await start();
    const value = await tokens.untilReady('behind');
    await tokens.delete('secrets', 'vexil-token-behind');
    operator.proxy.release();
    await waitUntil(
      { what: 'it has looked again' },
      () => requestsFor(operator.proxy.reached, 'secrets', 'get').length > 1,
    );
    await tokens.nudge('behind');
    const { status } = await tokens.untilRecorded('behind', 'Warning SecretMissing spec.secretRef');
    expect(status.sha256).toBe(digestOf(value));
    expect(await tokens.generated('behind')).toBeUndefined();
    expect(created(operator.proxy.arrived)).toBe(ofKey);
    await other.stop();
  });

  test.each<[string, string, (value: string) => string]>([
    ['a webhook that quotes what it refuses', 'create', (value) => JSON.stringify(statusOf(403, `denied: ${value}`))],
    ['an answer that is cut off and quoted by the parser', 'get', (value) => `{"data":{"token":"${value}"} oops`],
  ])('%s writes no value to the log', async (_, verb, body) => {
    const quoted = 'quoted-value-that-must-not-be-disclosed';
    tokens.values.add(quoted);
    const quoting: Fault = {
      name: 'a quoted value',
      async play({ begin, send, end, fired }) {
        const isRefusal = verb === 'create';
        begin(isRefusal ? 403 : 200, { 'content-type': 'application/json' });
        fired();
        const text = body(quoted);
        await send(isRefusal ? text.replace('the fault proxy says 403', `refused ${quoted}`) : text);
        end();
      },
    };
    operator.proxy.inject({ fault: quoting, match: on('secrets', verb as 'get' | 'create'), times: 2 });
    await tokens.create('quoted');
    await tokens.untilReady('quoted');
    expectFired(operator.proxy, quoting, 2);
    const failures = operator.log.filter(({ msg }) => msg === 'reconcile: failed');
    expect(failures.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(failures)).toContain(`The Secret ${home}/vexil-token-quoted cannot be read or created`);
  });
});
