/** Two replicas on PostgreSQL, under a steady stream of writes: restarted one after the other, killed, paused. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Pod, realCluster } from './cluster.ts';
import { ensureDefinitions } from './ensure-definitions.ts';
import { expectRecorded } from './expect-recorded.ts';
import { deployPostgres } from './postgres.ts';
import { ADMIN_TOKEN, type Release, releaseIn, served } from './release.ts';
import { signalPod } from './signal-pod.ts';
import { type SteadyWrites, writeSteadily } from './steady-writes.ts';

const cluster = realCluster();
const NAMESPACE = 'vexil-replicas';
const PROJECT = 'default';
/**
 * The lease lasts ten seconds. The new leader may notice its end one poll late and acquire it one poll later, on a busy
 * machine.
 */
const TAKEOVER_MS = 30_000;
/** The number of flags that are written before a disruption and after it. */
const SOME = 10;

let release: Release;
let writes: SteadyWrites;
let count = 0;

beforeAll(async () => {
  await ensureDefinitions(cluster);
  const url = await deployPostgres(cluster, 'databases');
  await cluster.restrictedNamespace(NAMESPACE);
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'database', namespace: NAMESPACE },
    stringData: { url },
  });
  release = releaseIn({ cluster, namespace: NAMESPACE });
  await release.install({
    replicas: 2,
    crds: { install: false },
    rbac: { aggregate: false },
    audit: { postgres: { existingSecret: 'database', key: 'url' } },
  });
  await served(release.call, `GET /projects/${PROJECT}`);
});

afterAll(() => cluster.close());

beforeEach(async () => {
  count += 1;
  writes = writeSteadily({ url: await release.url(), token: ADMIN_TOKEN, project: PROJECT, prefix: `steady-${count}` });
  await untilWritten(SOME);
});

afterEach(() => writes.stop());

/** Resolves when that many more flags are written. */
async function untilWritten(more: number): Promise<void> {
  const before = writes.ledger().done.length;
  await waitUntil({ what: `${more} flags more are written`, timeoutMs: 60_000 }, () => {
    return writes.ledger().done.length >= before + more;
  });
}

const readLease = () => cluster.read(`/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/vexil`);

/** The number of times that the holder of the lease has changed. */
const transitions = async (): Promise<number> => (await readLease())?.spec.leaseTransitions;

/** The pod that holds the lease; undefined between two terms. */
async function holder(): Promise<Pod | undefined> {
  const lease = await readLease();
  const pods = await release.pods();
  return pods.find(({ name }) => lease?.spec.holderIdentity?.startsWith(`${name}_`));
}

const untilLed = (what: string, isMeant: (pod: Pod) => boolean): Promise<Pod> =>
  waitUntil({ what, timeoutMs: TAKEOVER_MS, everyMs: 250 }, async () => {
    const pod = await holder();
    return pod !== undefined && isMeant(pod) && pod;
  });

const leader = () => untilLed('a replica leads', ({ isEnding }) => !isEnding);
const anotherLeader = (than: Pod) => untilLed('another replica leads', ({ name }) => name !== than.name);

const untilTwoAreReady = () =>
  waitUntil({ what: 'two pods are ready', timeoutMs: 90_000, everyMs: 250 }, async () => {
    const pods = await release.pods();
    return pods.length === 2 && pods.every(({ isReady, isEnding }) => isReady && !isEnding);
  });

async function expectNothingLost(): Promise<void> {
  await untilWritten(SOME);
  const ledger = await writes.stop();
  await expectRecorded(ledger, { cluster, namespace: NAMESPACE, project: PROJECT, call: release.call });
}

test('a rolling restart loses no write', async () => {
  const before = await release.pods();
  await cluster.kubectlOrThrow(['rollout', 'restart', 'deployment/vexil', '-n', NAMESPACE]);
  await cluster.kubectlOrThrow(['rollout', 'status', 'deployment/vexil', '-n', NAMESPACE, '--timeout=120s']);
  await untilTwoAreReady();
  const after = await release.pods();
  expect(after.filter(({ uid }) => before.some((pod) => pod.uid === uid))).toEqual([]);
  await expectNothingLost();
});

test('a leader that is killed loses no write, and another one leads', async () => {
  const killed = await leader();
  await cluster.kubectlOrThrow(['delete', 'pod', killed.name, '-n', NAMESPACE, '--grace-period=0', '--force']);
  await anotherLeader(killed);
  await untilTwoAreReady();
  await expectNothingLost();
});

test('a leader that is paused beyond its lease loses no write, and does not lead when it resumes', async () => {
  const paused = await leader();
  await signalPod(paused, 'STOP');
  let before: number;
  try {
    await anotherLeader(paused);
    await untilWritten(SOME);
    before = await transitions();
  } finally {
    await signalPod(paused, 'CONT');
  }
  await untilTwoAreReady();
  const { name } = await leader();
  // On a busy machine the lease may have moved again in order, and then any replica may lead.
  if ((await transitions()) === before) expect(name).not.toBe(paused.name);
  await expectNothingLost();
});
