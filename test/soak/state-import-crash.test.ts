/** An interrupted import: the operator is killed or stopped, and the same import sent again writes the rest. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { SeenRequest } from '../support/fault-proxy/exchange.ts';
import { hold } from '../support/fault-proxy/faults.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import { timesFired } from '../support/fault-proxy/report.ts';
import type { FaultProxy } from '../support/fault-proxy/start-fault-proxy.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import type { Stored } from '../support/stored.ts';

const cluster = sharedCluster();
const COUNT = 200;
/** The number of flags that are written before the others are delayed. */
const WRITTEN = 20;

let home: string;
let kubeconfig: string;
let objects: FlagsDirectly;
let replicas: Replica[] = [];
let proxies: FaultProxy[] = [];

beforeAll(async () => {
  home = await cluster.freshNamespace('state-crash');
  kubeconfig = await replicaKubeconfig(cluster, home);
  objects = flagsDirectly(cluster.kubeconfig, home);
  await objects.apply('Environment', 'production', {});
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  replicas = [];
  proxies = [];
});
afterAll(() => objects?.close());

async function start(through = kubeconfig): Promise<Replica> {
  const replica = await startReplica({ kubeconfig: through, home });
  replicas.push(replica);
  await waitUntil({ what: 'the replica is ready' }, replica.isReady);
  return replica;
}

const documentOf = (project: string, prefix: string) => ({
  version: 1,
  projects: [{ id: project, name: project }],
  strategies: [{ name: `${prefix}-type`, parameters: [] }],
  features: Array.from({ length: COUNT }, (_, n) => ({
    name: `${prefix}-${n}`,
    project,
    enabled: n % 2 === 0,
    strategies: [{ name: `${prefix}-type`, parameters: { n } }],
  })),
});

const send = (replica: Replica, document: object, query = '') =>
  fetch(`${replica.url}/api/admin/state/import${query}`, {
    method: 'POST',
    body: JSON.stringify(document),
    headers: { 'content-type': 'application/json' },
  });

async function flagsOf(prefix: string): Promise<Stored[]> {
  const args = ['get', 'featureflags', '-n', home, '-o', 'json'];
  const { items } = JSON.parse(await cluster.kubectlOrThrow(args));
  return items.filter(({ metadata }: Stored) => metadata.name.startsWith(`${prefix}-`));
}

/** Starts a replica of which the API server receives that many flags; later ones are delayed. */
async function startDelayed() {
  const proxy = await proxyFor(cluster);
  proxies.push(proxy);
  let written = 0;
  const match = ({ resource, verb, query }: SeenRequest) => {
    if (resource !== 'featureflags' || verb !== 'create' || query.has('dryRun')) return false;
    written += 1;
    return written > WRITTEN;
  };
  const withdraw = proxy.inject({ fault: hold, match });
  return { proxy, withdraw, replica: await start(await proxiedKubeconfig(proxy, kubeconfig)) };
}

const untilDelayed = (proxy: FaultProxy) =>
  waitUntil({ what: 'a flag is held back' }, async () => timesFired(proxy, hold) > 0);

async function expectComplete(replica: Replica, project: string, prefix: string): Promise<void> {
  const document = documentOf(project, prefix);
  const answer = await send(replica, document);
  expect([answer.status, await answer.text()]).toEqual([202, 'Accepted']);
  const flags = await flagsOf(prefix);
  expect(flags.map(({ metadata }) => metadata.name).toSorted()).toEqual(
    document.features.map(({ name }) => name).toSorted(),
  );
  for (const { metadata, spec } of flags) {
    const n = Number(metadata.name.split('-').at(-1));
    const strategies = { 'imported-1': { name: `${prefix}-type`, parameters: { n } } };
    const production = n % 2 === 0 ? { enabled: true, strategies } : { strategies };
    expect(spec, metadata.name).toEqual({ project, environments: { production } });
    expect(metadata.generation, `${metadata.name} was written more than once`).toBe(1);
  }
  const before = new Map(flags.map(({ metadata }) => [metadata.uid, metadata.generation]));
  for (const query of ['', '?keep=false']) expect((await send(replica, document, query)).status).toBe(202);
  expect(new Map((await flagsOf(prefix)).map(({ metadata }) => [metadata.uid, metadata.generation]))).toEqual(before);
}

test('killed half-way: written flags stay, and the same import again writes the rest', {
  timeout: 90_000,
}, async () => {
  const { proxy, replica } = await startDelayed();
  const broken = send(replica, documentOf('killed', 'kill')).then(
    ({ status }) => status,
    () => 'broken off',
  );
  await untilDelayed(proxy);
  replica.send('SIGKILL');
  expect(await broken).toBe('broken off');
  expect((await flagsOf('kill')).length).toBeLessThan(COUNT);
  await expectComplete(await start(), 'killed', 'kill');
});

test('stopped half-way: it stops between two writes, and reports its progress', { timeout: 90_000 }, async () => {
  const { proxy, withdraw, replica } = await startDelayed();
  const answered = send(replica, documentOf('stopped', 'stop'));
  await untilDelayed(proxy);
  replica.send('SIGTERM');
  await waitUntil({ what: 'the replica knows that it is to stop' }, async () => !(await replica.isReady()));
  // Several flags are written at once: one that arrives after the release must not be delayed again.
  withdraw();
  proxy.release();
  const answer = await answered;
  const { name, message }: Stored = await answer.json();
  expect([answer.status, name]).toEqual([503, 'UnavailableError']);
  expect(message).toMatch(
    /stopped at `features\[\d+\]` \(flag stop-\d+\), after \d+ of 202 writes: .*Send the same request again/,
  );
  expect((await flagsOf('stop')).length).toBeLessThan(COUNT);
  await expectComplete(await start(), 'stopped', 'stop');
});
