/**
 * Several replicas, each a process of its own: which one reconciles, which ones answer, and how they react to signals.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import type { Stored } from '../support/stored.ts';
import { LONG_LEASE } from '../support/timings.ts';

const cluster = sharedCluster();
let home: string;
let kubeconfig: string;
let replicas: Replica[];

beforeEach(async () => {
  home = await cluster.freshNamespace('leader');
  kubeconfig = await replicaKubeconfig(cluster, home);
  replicas = [];
  await apply('Environment', 'production', {});
  await apply('Project', 'shop', {});
});

afterEach(async () => {
  for (const replica of replicas) replica.send('SIGCONT');
  await Promise.all(replicas.map((replica) => replica.stop()));
});

async function start(settings: Readonly<Record<string, string>> = {}): Promise<Replica> {
  const replica = await startReplica({ kubeconfig, home, settings });
  replicas.push(replica);
  await waitUntil({ what: 'the replica is ready' }, replica.isReady);
  return replica;
}

async function apply(kind: string, name: string, spec: object): Promise<void> {
  const object = { apiVersion: 'vexil.dev/v1beta1', kind, metadata: { name, namespace: home }, spec };
  await cluster.apply([object]);
}

async function isJudged(name: string): Promise<boolean> {
  const path = `/apis/vexil.dev/v1beta1/namespaces/${home}/featureflags/${name}`;
  const { metadata, status } = (await cluster.request({ method: 'GET', path })) as Stored;
  return metadata.generation === status?.observedGeneration;
}

const statusWrites = (replica: Replica) =>
  replica.metric(
    'vexil_kube_request_duration_seconds_count{method="PATCH",resource="featureflags/status",status="200"}',
  );

async function untilLeading(replica: Replica): Promise<void> {
  await waitUntil({ what: 'the replica leads' }, replica.leads);
}

async function leadersOf(some: readonly Replica[]): Promise<readonly Replica[]> {
  const leads = await Promise.all(some.map((replica) => replica.leads()));
  return some.filter((_, index) => leads[index]);
}

describe('two replicas', () => {
  test('both answer, one of them reconciles, and it hands over at once on SIGTERM', async () => {
    // If the leader did not release this lease, it would last longer than this test waits.
    const one = await start(LONG_LEASE);
    await untilLeading(one);
    const two = await start(LONG_LEASE);
    await apply('FeatureFlag', 'seen', { project: 'shop' });
    await waitUntil({ what: 'the flag is judged' }, () => isJudged('seen'));
    for (const replica of [one, two]) {
      const call = adminClient(replica.url);
      await waitUntil(
        { what: 'the flag is served' },
        async () => (await call('GET /projects/shop/features/seen')).status === 200,
      );
    }
    const call = adminClient(two.url);
    expect((await call('POST /projects/shop/features', { body: { name: 'made-by-two' } })).status).toBe(201);
    expect((await call('GET /projects/shop/features/made-by-two')).status).toBe(200);
    await waitUntil({ what: 'it is judged' }, () => isJudged('made-by-two'));
    expect([await one.leads(), await two.leads()]).toEqual([true, false]);
    // The last status write may still be waiting for its answer.
    await expect.poll(() => statusWrites(one)).toBe(2);
    expect(await statusWrites(two)).toBe(0);

    expect(await one.stop()).toEqual({ code: 0, signal: null });
    await untilLeading(two);
    await apply('FeatureFlag', 'after', { project: 'shop' });
    await waitUntil({ what: 'the flag is judged' }, () => isJudged('after'));
  });

  test('a leader that was paused beyond its lease writes nothing when it resumes, and takes over when the other one is killed', async () => {
    const all = [await start(), await start()];
    await apply('FeatureFlag', 'before', { project: 'shop' });
    await waitUntil({ what: 'the flag is judged' }, () => isJudged('before'));
    // The last status write may still be waiting for its answer.
    await waitUntil({ what: 'the write is counted' }, async () => {
      return (await Promise.all(all.map(statusWrites))).some((writes) => writes > 0);
    });
    const one = await waitUntil({ what: 'one of them leads' }, async () => (await leadersOf(all))[0]);
    const writesBefore = await statusWrites(one);

    one.send('SIGSTOP');
    const [other] = all.filter((replica) => replica !== one) as [Replica];
    await untilLeading(other);
    await apply('FeatureFlag', 'meanwhile', { project: 'shop' });
    await waitUntil({ what: 'the flag is judged' }, () => isJudged('meanwhile'));
    one.send('SIGCONT');

    await waitUntil({ what: 'the woken one knows that it does not lead' }, async () => !(await one.leads()));
    const call = adminClient(one.url);
    await waitUntil(
      { what: 'it has seen what happened' },
      async () => (await call('GET /projects/shop/features/meanwhile')).status === 200,
    );
    expect(await statusWrites(one)).toBe(writesBefore);
    expect(one.lines.filter((line) => /reconcile: failed|write failed/.test(line))).toEqual([]);
    await expect.poll(() => leadersOf(all)).toHaveLength(1);

    const [killed, left] = (await other.leads()) ? [other, one] : [one, other];
    killed.send('SIGKILL');
    await killed.ended;
    await apply('FeatureFlag', 'orphan', { project: 'shop' });
    await untilLeading(left);
    await waitUntil({ what: 'the flag is judged' }, () => isJudged('orphan'));
  });
});

test('a single operator runs without a lease if VEXIL_LEADER_ELECTION is false', async () => {
  const alone = await startReplica({ kubeconfig, home, settings: { VEXIL_LEADER_ELECTION: 'false' } });
  replicas.push(alone);
  await apply('FeatureFlag', 'alone', { project: 'shop' });
  await waitUntil({ what: 'the flag is judged' }, () => isJudged('alone'));
  await expect(cluster.getObject('lease/vexil', home)).rejects.toMatchObject({ code: 'not-found' });
});
