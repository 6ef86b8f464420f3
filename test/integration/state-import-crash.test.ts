/** An import that is interrupted: the operator killed, or told to stop; the same import again does the rest. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import type { Stored } from '../support/instance.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';

const cluster = sharedCluster();
const COUNT = 200;

let home: string;
let kubeconfig: string;
let objects: FlagsDirectly;
let replicas: Replica[] = [];

beforeAll(async () => {
  home = await cluster.freshNamespace('state-crash');
  kubeconfig = await replicaKubeconfig(cluster, home);
  objects = flagsDirectly(cluster.kubeconfig, home);
  await objects.apply('Environment', 'production', {});
});
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  replicas = [];
});
afterAll(() => objects?.close());

async function start(): Promise<Replica> {
  const replica = await startReplica({ kubeconfig, home });
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

/** Resolves while the import writes. */
const untilBegun = (prefix: string) =>
  waitUntil({ what: 'some flags are there', timeoutMs: 30_000, everyMs: 5 }, async () => {
    const found = await cluster.kubectl(['get', 'featureflags', '-n', home, '-o', 'name']);
    return found.stdout.includes(`/${prefix}-`);
  });

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

test('killed half-way: what is written stays, and the same import again does the rest', {
  timeout: 90_000,
}, async () => {
  const first = await start();
  const broken = send(first, documentOf('killed', 'kill')).then(
    ({ status }) => status,
    () => 'broken off',
  );
  await untilBegun('kill');
  first.send('SIGKILL');
  expect(await broken).toBe('broken off');
  expect((await flagsOf('kill')).length).toBeLessThan(COUNT);
  await expectComplete(await start(), 'killed', 'kill');
});

test('told to stop half-way: it stops between two writes, and says how far it is', { timeout: 90_000 }, async () => {
  const first = await start();
  const answered = send(first, documentOf('stopped', 'stop'));
  await untilBegun('stop');
  first.send('SIGTERM');
  const answer = await answered;
  const { name, message }: Stored = await answer.json();
  expect([answer.status, name]).toEqual([503, 'UnavailableError']);
  expect(message).toMatch(
    /stopped half-way at `features\[\d+\]`, after \d+ of 202 writes: .*Send the same request again/,
  );
  expect((await flagsOf('stop')).length).toBeLessThan(COUNT);
  await expectComplete(await start(), 'stopped', 'stop');
});
