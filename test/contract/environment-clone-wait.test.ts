/** Endpoint 21 while nobody carries out the clone: how long a caller waits, and who else may answer. */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { type Operator, startOperator } from '../support/operator.ts';

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

/** Somebody holds the lease for an hour, and does nothing. */
async function keepFromLeading(): Promise<void> {
  const spec = { holderIdentity: 'somebody', leaseDurationSeconds: 3600 };
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'vexil', namespace: home },
    spec,
  };
  await cluster.kubectlOrThrow(['apply', '-f', '-'], { input: JSON.stringify(lease) });
}

async function start(): Promise<Operator> {
  const operator = await startOperator(cluster, home);
  operators.push(operator);
  return operator;
}

const ask = ({ url }: Operator) => adminClient(url)(REQUEST, { body });

async function isThere(name: string): Promise<boolean> {
  return (await cluster.kubectl(['get', 'fenv', name, '-n', home])).code === 0;
}

function expectLater({ status, headers, body: told }: Answer, says: string): void {
  expect([status, told.name]).toEqual([503, 'UnavailableError']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(told.message).toContain(says);
}

test('503 with Retry-After after 60 seconds, on each replica; the same body again joins, and is answered when it is done', {
  timeout: 120_000,
}, async () => {
  const [one, two] = [await start(), await start()];
  const startedAt = performance.now();
  const answers = await Promise.all([one, two].map(ask));
  const waitedMs = performance.now() - startedAt;
  for (const answer of answers) expectLater(answer, 'The clone is not done yet, and goes on: 0 of 0 flags are copied.');
  expect(waitedMs).toBeGreaterThan(59_000);
  expect(waitedMs).toBeLessThan(65_000);

  const again = [one, two].map(ask);
  await cluster.kubectlOrThrow(['delete', 'lease', 'vexil', '-n', home]);
  for (const { status, body: environment } of await Promise.all(again)) {
    expect([status, environment.name, environment.enabledToggleCount]).toEqual([200, 'staging', 1]);
  }
  expect((await objects.get('checkout')).spec.environments.staging.enabled).toBe(true);
  expect((await objects.get('checkout')).metadata.generation).toBe(2);
});

test('a replica that stops answers who waits, with 503, and ends in order', async () => {
  const operator = await start();
  const answer = ask(operator);
  await waitUntil({ what: 'the environment is there' }, () => isThere('staging'));
  const startedAt = performance.now();
  await operator.stop();
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expectLater(await answer, 'This replica is stopping. The clone goes on: send the same request again.');
  expect(await isThere('staging')).toBe(true);
});

test('an environment that is deleted while someone waits for it: 404', async () => {
  const operator = await start();
  const answer = ask(operator);
  await waitUntil({ what: 'the environment is there' }, () => isThere('staging'));
  await objects.delete('environments', 'staging');
  const { status, body: told } = await answer;
  expect([status, told.name]).toEqual([404, 'NotFoundError']);
  expect(told.message).toContain('"staging" was deleted');
});

test.each([
  ['the source', 'environments', 'production', 404, 'NotFoundError'],
  ['a project', 'projects', 'shop', 400, 'ValidationError'],
] as const)(
  '%s that goes before the clone begins: as if it had never been there, and the name stays free',
  async (_, plural, name, status, error) => {
    const operator = await start();
    const answer = ask(operator);
    await waitUntil({ what: 'the environment is there' }, () => isThere('staging'));
    await objects.delete(plural, name);
    await cluster.kubectlOrThrow(['delete', 'lease', 'vexil', '-n', home]);
    const { status: given, body: told } = await answer;
    expect([given, told.name]).toEqual([status, error]);
    expect(await isThere('staging')).toBe(false);
    expect((await objects.get('checkout')).metadata.generation).toBe(1);
  },
);
