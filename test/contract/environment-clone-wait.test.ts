/** POST /environments/:environment/clone without a leader: how long a caller waits, and which replica may answer. */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { type Operator, startOperator } from '../support/operator.ts';
import type { Stored } from '../support/stored.ts';
import { QUICK_LEASE } from '../support/timings.ts';

const cluster = sharedCluster();
const body = { name: 'staging', type: 'test', projects: ['shop'] };
const REQUEST = 'POST /environments/production/clone';

let home: string;
let objects: FlagsDirectly;
let operators: Operator[];

beforeEach(async () => {
  home = await cluster.freshNamespace('clone-wait');
  objects?.close();
  objects = flagsDirectly(cluster.kubeconfig, home);
  operators = [];
  await objects.apply('Environment', 'production', {});
  await objects.apply('Project', 'shop', {});
  await objects.apply('FeatureFlag', 'checkout', {
    project: 'shop',
    environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } },
  });
  await keepFromLeading();
});

afterEach(() => Promise.all(operators.map((operator) => operator.stop())));

afterAll(() => objects?.close());

/** Gives the lease to another holder, which keeps it for an hour and does nothing. */
async function keepFromLeading(): Promise<void> {
  const spec = { holderIdentity: 'somebody', leaseDurationSeconds: 3600 };
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'vexil', namespace: home },
    spec,
  };
  await cluster.apply([lease]);
}

async function giveUpLease(): Promise<void> {
  await cluster.request({
    method: 'DELETE',
    path: `/apis/coordination.k8s.io/v1/namespaces/${home}/leases/vexil`,
  });
}

async function start(settings: Readonly<Record<string, string>> = {}): Promise<Operator> {
  const operator = await startOperator(cluster, home, { settings });
  operators.push(operator);
  return operator;
}

const ask = ({ url }: Operator) => adminClient(url)(REQUEST, { body });

async function isThere(name: string): Promise<boolean> {
  const { items } = (await cluster.request({
    method: 'GET',
    path: `/apis/vexil.dev/v1beta1/namespaces/${home}/environments`,
  })) as Stored;
  return items.some(({ metadata }: Stored) => metadata.name === name);
}

function expectLater({ status, headers, body: recorded }: Answer, says: string): void {
  expect([status, recorded.name]).toEqual([503, 'UnavailableError']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(recorded.message).toContain(says);
}

test('503 with Retry-After when the wait is over, on each replica; the same body again joins, and is answered when it is done', async () => {
  // A busy machine needs this time to take the Lease and to copy the flag.
  const quick = { VEXIL_CLONE_WAIT: '20s', ...QUICK_LEASE };
  const [one, two] = [await start(quick), await start(quick)];
  const answers = await Promise.all([one, two].map(ask));
  for (const answer of answers)
    expectLater(answer, 'The clone is not done yet, and continues: 0 of 0 flags are copied.');

  const again = [one, two].map(ask);
  await giveUpLease();
  for (const { status, body: environment } of await Promise.all(again)) {
    expect([status, environment.name, environment.enabledToggleCount]).toEqual([200, 'staging', 1]);
  }
  expect((await objects.get('checkout')).spec.environments.staging.enabled).toBe(true);
  expect((await objects.get('checkout')).metadata.generation).toBe(2);
});

test('a replica that stops answers waiting callers with 503, and ends in order', async () => {
  const operator = await start();
  const answer = ask(operator);
  await waitUntil({ what: 'the environment is there' }, () => isThere('staging'));
  await operator.stop();
  expectLater(await answer, 'This replica is stopping. The clone continues: send the same request again.');
  expect(await isThere('staging')).toBe(true);
});

test('an environment that is deleted while a caller waits for it: 404', async () => {
  const operator = await start();
  const answer = ask(operator);
  await waitUntil({ what: 'the environment is there' }, () => isThere('staging'));
  await objects.delete('environments', 'staging');
  const { status, body: recorded } = await answer;
  expect([status, recorded.name]).toEqual([404, 'NotFoundError']);
  expect(recorded.message).toContain('"staging" was deleted');
});

test.each([
  ['the source', 'environments', 'production', 404, 'NotFoundError'],
  ['a project', 'projects', 'shop', 400, 'ValidationError'],
] as const)(
  '%s that is deleted before the clone begins: the clone leaves nothing, and the name stays free',
  async (_, plural, name, status, error) => {
    const operator = await start();
    const answer = ask(operator);
    await waitUntil({ what: 'the environment is there' }, () => isThere('staging'));
    await objects.delete(plural, name);
    await giveUpLease();
    const { status: given, body: recorded } = await answer;
    expect([given, recorded.name]).toEqual([status, error]);
    expect(await isThere('staging')).toBe(false);
    expect((await objects.get('checkout')).metadata.generation).toBe(1);
  },
);
