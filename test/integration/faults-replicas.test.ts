/** Two replicas, each with its own network to the API server. The network of the leader fails. */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, adminClient, type Call } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { refusal, stall } from '../support/fault-proxy/faults.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { readFlags, untilConverged } from '../support/fault-proxy/operator-behind-proxy.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import { expectFired, on, recordHistory, timesFired } from '../support/fault-proxy/report.ts';
import type { FaultProxy } from '../support/fault-proxy/start-fault-proxy.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import type { Stored } from '../support/stored.ts';

const cluster = sharedCluster();
const TIMEOUT_MS = 180_000;

interface Placed extends Replica {
  readonly proxy: FaultProxy;
  readonly call: Call;
}

let home: string;
let flags: FlagsDirectly;
let placed: Placed[];

beforeEach(async () => {
  home = await cluster.freshNamespace('faults-replicas');
  flags?.close();
  flags = flagsDirectly(cluster.kubeconfig, home);
  placed = [];
  await flags.apply('Environment', 'production', {});
  await flags.apply('Project', 'shop', {});
  for (const name of ['kept', 'busy']) await flags.apply('FeatureFlag', name, { project: 'shop' });
});

afterEach(async ({ task }) => {
  for (const { proxy } of placed) proxy.release();
  const ends = await Promise.all(placed.map((replica) => replica.stop()));
  for (const [index, { proxy }] of placed.entries()) {
    recordHistory(proxy, `${task.name} (replica ${index + 1})`);
    await proxy.stop();
  }
  // An unhandled rejection would have ended the process.
  for (const end of ends) expect(end).toEqual({ code: 0, signal: null });
});

afterAll(() => flags?.close());

async function place(kubeconfig: string): Promise<Placed> {
  const proxy = await proxyFor(cluster);
  const settings = { VEXIL_API_SERVER_TIMEOUT: '5s' };
  const replica = await startReplica({ kubeconfig: await proxiedKubeconfig(proxy, kubeconfig), home, settings });
  const one = { ...replica, proxy, call: adminClient(replica.url) };
  placed.push(one);
  await waitUntil({ what: 'the replica is ready' }, one.isReady);
  return one;
}

/** Starts two replicas. Resolves with the one that leads, and then the other one. */
async function placeTwo(): Promise<readonly [Placed, Placed]> {
  const kubeconfig = await replicaKubeconfig(cluster, home);
  const [first, second] = [await place(kubeconfig), await place(kubeconfig)];
  return waitUntil({ what: 'exactly one leads' }, async () => {
    const [firstLeads, secondLeads] = await Promise.all([first.leads(), second.leads()]);
    if (firstLeads === secondLeads) return undefined;
    return firstLeads ? ([first, second] as const) : ([second, first] as const);
  });
}

const leadersOf = async (some: readonly Placed[]) =>
  (await Promise.all(some.map((replica) => replica.leads()))).filter(Boolean);

/** The number of times that the holder of the Lease has changed. */
async function transitions(): Promise<number> {
  const { spec }: Stored = await cluster.getObject('lease/vexil', home);
  return spec.leaseTransitions;
}

async function isJudged(name: string): Promise<boolean> {
  const { metadata, status } = await flags.get(name);
  return status?.observedGeneration === metadata.generation;
}

const untilJudged = (name: string) => waitUntil({ what: `${name} is judged` }, () => isJudged(name));

const writesStatus = (request: FaultProxy['reached'][number]) =>
  request.verb === 'patch' && request.resource.endsWith('/status');
const statusWrites = ({ proxy }: Placed) => proxy.reached.filter(writesStatus).length;

const describeBusy = ({ call }: Placed, value: string): Promise<Answer> =>
  call('PATCH /projects/shop/features/busy', { body: [{ op: 'replace', path: '/description', value }] });

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, body.name]).toEqual([503, 'UnavailableError']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

/**
 * Gives the leader work that fails until the returned function is called, so that the leader has unfinished work when
 * its term ends.
 */
async function leaveWorkUndone({ proxy }: Placed): Promise<() => void> {
  let isOver = false;
  const fails = refusal(500);
  const match = on('featureflags/status', 'patch');
  proxy.inject({ fault: fails, match: (request) => !isOver && match(request) });
  await flags.apply('FeatureFlag', 'undone', { project: 'shop' });
  await waitUntil({ what: 'its status could not be written' }, () => timesFired(proxy, fails) >= 2);
  return () => {
    isOver = true;
  };
}

interface Outage {
  readonly fault: { readonly name: string };
  begin(proxy: FaultProxy): Promise<void> | void;
  end(proxy: FaultProxy): Promise<void> | void;
}

/** An outage in which no byte arrives, and no connection is closed. */
function blackHole(): Outage {
  let isOver = false;
  return {
    fault: stall,
    begin(proxy) {
      proxy.inject({ fault: stall, match: () => !isOver });
      proxy.drop();
    },
    end(proxy) {
      isOver = true;
      proxy.release();
    },
  };
}

test('a leader that gets no answer: the other one takes over, both answer, no write of the old term succeeds', {
  timeout: TIMEOUT_MS,
}, async () => {
  const outage = blackHole();
  const [one, two] = await placeTwo();
  for (const name of ['kept', 'busy']) await untilJudged(name);
  const letItSucceed = await leaveWorkUndone(one);
  const writesOfOne = statusWrites(one);

  await outage.begin(one.proxy);
  letItSucceed();
  const refusedWrite = describeBusy(one, 'through the first');
  await waitUntil({ what: 'the other one leads' }, async () => {
    for (const { call } of [one, two]) await readFlags(call);
    const isTaken = await two.leads();
    if (isTaken) expect(await one.leads()).toBe(false);
    return isTaken;
  });
  await untilJudged('undone');
  expect((await describeBusy(two, 'through the second')).status).toBe(200);
  expectUnavailable(await refusedWrite);
  await untilJudged('busy');
  for (const { call } of [one, two]) await readFlags(call);
  const moves = await transitions();
  expect(statusWrites(one)).toBe(writesOfOne);

  await outage.end(one.proxy);
  await Promise.all([one, two].map(({ call }) => untilConverged({ call }, flags)));
  await flags.patch('busy', { description: 'after' });
  await untilJudged('busy');
  await Promise.all([one, two].map(({ call }) => untilConverged({ call }, flags)));
  expect((await describeBusy(one, 'through the first again')).status).toBe(200);
  await untilJudged('busy');
  await expect.poll(() => leadersOf([one, two])).toHaveLength(1);
  // On a busy machine the lease may have moved again in order.
  if ((await transitions()) === moves) expect([await one.leads(), statusWrites(one)]).toEqual([false, writesOfOne]);
  expect(statusWrites(two)).toBeGreaterThan(0);
  expectFired(one.proxy, outage.fault);
});
