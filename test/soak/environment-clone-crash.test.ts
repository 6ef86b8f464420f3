/** The clone of an environment when its leader is killed, paused or cut off, and while others write the same flags. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { copiedStrategyId } from '../../src/domain/flag/strategy-id.ts';
import { seededRandom } from '../../src/model/seeded-random.ts';
import { sharedCluster } from '../support/cluster.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { SeenRequest } from '../support/fault-proxy/exchange.ts';
import { hold, refusal } from '../support/fault-proxy/faults.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import { expectFired, on, timesFired } from '../support/fault-proxy/report.ts';
import type { FaultProxy } from '../support/fault-proxy/start-fault-proxy.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import type { Stored } from '../support/stored.ts';
import { watchFlags } from '../support/watch-flags.ts';

const cluster = sharedCluster();
/** The number of a flag is the rollout of its strategy. */
const COUNT = 100;
const TIMEOUT_MS = 240_000;
const SEED = 21;

const first = '11111111-2222-4333-8444-555555555555';
const second = '66666666-7777-4888-8999-aaaaaaaaaaaa';
const names = Array.from({ length: COUNT }, (_, index) => `flag-${String(index).padStart(3, '0')}`);

/** Every third flag is off, so that the test sees whether the switch is copied. */
const production = (index: number) => ({
  enabled: index % 3 !== 0,
  strategies: {
    [first]: { name: 'flexibleRollout', sortOrder: 0, parameters: { rollout: index, groupId: names[index] } },
    [second]: { name: 'default', sortOrder: 1, disabled: true, title: 'later', variants: [{ name: 'v' }] },
  },
  variants: [{ name: `only-${index}` }],
});

const copyOf = (index: number, environment: string) => {
  const { strategies, ...rest } = production(index);
  const copies = Object.entries(strategies).map(([id, strategy]) => [copiedStrategyId(id, environment), strategy]);
  return { ...rest, strategies: Object.fromEntries(copies) };
};

let home: string;
let kubeconfig: string;
let objects: FlagsDirectly;
let replicas: Replica[] = [];
let proxies: FaultProxy[] = [];
let environments = 0;

beforeAll(async () => {
  home = await cluster.freshNamespace('clone-crash');
  kubeconfig = await replicaKubeconfig(cluster, home);
  objects = flagsDirectly(cluster.kubeconfig, home);
  await objects.apply('Environment', 'production', {});
  await objects.apply('Project', 'shop', { environments: ['production'] });
  for (const [index, name] of names.entries()) {
    await objects.apply('FeatureFlag', name, { project: 'shop', environments: { production: production(index) } });
  }
});

afterEach(async () => {
  for (const replica of replicas) replica.send('SIGCONT');
  await Promise.all(replicas.map((replica) => replica.stop()));
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  replicas = [];
  proxies = [];
});

afterAll(() => objects?.close());

async function start(config = kubeconfig): Promise<Replica> {
  const replica = await startReplica({ kubeconfig: config, home });
  replicas.push(replica);
  await waitUntil({ what: 'the replica is ready' }, replica.isReady);
  return replica;
}

async function startLeader(config = kubeconfig): Promise<Replica> {
  const replica = await start(config);
  await waitUntil({ what: 'it leads' }, replica.leads);
  return replica;
}

/** Starts a leader of which the API server receives the copies of that many flags; those of others are delayed. */
async function startDelayed(after: number) {
  const proxy = await proxyFor(cluster);
  proxies.push(proxy);
  const isPatch = on('featureflags', 'patch');
  const passed = new Set<string | undefined>();
  const match = (request: SeenRequest) => {
    if (!isPatch(request) || request.query.has('dryRun')) return false;
    // A copy that met a conflict is sent again.
    if (passed.size < after) passed.add(request.name);
    return !passed.has(request.name);
  };
  proxy.inject({ fault: hold, match });
  return { proxy, leader: await startLeader(await proxiedKubeconfig(proxy, kubeconfig)) };
}

/** Deletes the lease of a replica that has ended, so that no test waits until it expires. */
async function forgetLease(): Promise<void> {
  await cluster.deleteObject('lease/vexil', home);
}

async function generations(): Promise<Map<string, number>> {
  const all = await Promise.all(names.map((name) => objects.get(name)));
  return new Map(all.map(({ metadata }) => [metadata.name, metadata.generation]));
}

/** The number of specs that were written since then. */
async function written(before: ReadonlyMap<string, number>): Promise<number> {
  return [...(await generations())].filter(([name, generation]) => generation !== before.get(name)).length;
}

async function ask(): Promise<string> {
  environments += 1;
  const name = `copy-${environments}`;
  await objects.apply('Environment', name, { clone: { from: 'production', projects: ['shop'] } });
  return name;
}

const untilDone = (name: string) =>
  waitUntil({ what: `${name} is done`, timeoutMs: 120_000 }, async () => {
    const { status } = await objects.get(name, 'environments');
    return status?.clone?.phase === 'Done' && status;
  });

/**
 * Checks that each flag has exactly the copy, by exactly one write of its spec, that the project lists the environment
 * once, and that one Event reports it.
 */
async function expectCloned(name: string, before: ReadonlyMap<string, number>): Promise<void> {
  const status = await untilDone(name);
  expect(status.clone).toMatchObject({ flags: COUNT, copied: COUNT });
  for (const [index, flag] of names.entries()) {
    const { spec, metadata } = await objects.get(flag);
    expect(spec.environments[name], flag).toEqual(copyOf(index, name));
    expect(spec.environments.production, flag).toEqual(production(index));
    expect(metadata.generation, `${flag} was written more than once`).toBe((before.get(flag) ?? 0) + 1);
  }
  const { spec } = await objects.get('shop', 'projects');
  expect(spec.environments.filter((one: string) => one === name)).toHaveLength(1);
  // The query leaves out the Events of the history.
  const query = { labelSelector: '!vexil.dev/audit' };
  const { items }: Stored = await cluster.request({ method: 'GET', path: objectPath('events', home), query });
  const recorded = items.filter(({ regarding }: Stored) => regarding.name === name);
  expect(recorded.map(({ reason }: Stored) => reason)).toEqual(['EnvironmentCloned']);
}

/** Sends the signal when that many flags are copied, and `isDue` says so. Returns the name of the clone. */
async function strike(leader: Replica, signal: 'SIGKILL' | 'SIGSTOP', after: number, isDue = () => true) {
  const copied = new Set<string>();
  const next = `copy-${environments + 1}`;
  const unwatch = await watchFlags({ kubeconfig: cluster.kubeconfig, namespace: home }, ({ metadata, spec }) => {
    if (spec.environments?.[next]) copied.add(metadata.name);
  });
  const name = await ask();
  await waitUntil({ what: `${after} flags are copied`, timeoutMs: 120_000, everyMs: 1 }, () => {
    return copied.size >= after && isDue();
  });
  leader.send(signal);
  if (signal === 'SIGKILL') await leader.ended;
  unwatch();
  return name;
}

const random = seededRandom(SEED);
const somewhere = (from: number, to: number) => from + Math.floor(random() * (to - from));
const points = [somewhere(1, COUNT), COUNT];

describe(`a leader that is killed with SIGKILL (seed ${SEED})`, () => {
  test('before anything is written: while it validates', { timeout: TIMEOUT_MS }, async () => {
    const leader = await startLeader();
    const before = await generations();
    const name = await ask();
    await waitUntil({ what: 'it validates', everyMs: 1 }, async () => {
      return (await objects.get(name, 'environments')).status?.clone?.phase !== undefined;
    });
    leader.send('SIGKILL');
    await leader.ended;
    await forgetLease();
    await startLeader();
    await expectCloned(name, before);
  });

  test.each(points)(
    'once %i flags are copied: the next one copies the rest, and nothing twice',
    { timeout: TIMEOUT_MS },
    async (after) => {
      const { proxy, leader } = await startDelayed(after);
      const before = await generations();
      const isDelayed = () => after === COUNT || timesFired(proxy, hold) > 0;
      const name = await strike(leader, 'SIGKILL', after, isDelayed);
      expect(await written(before)).toBe(after);
      await forgetLease();
      await startLeader();
      await expectCloned(name, before);
    },
  );

  test('again and again: every leader does a part', { timeout: TIMEOUT_MS }, async () => {
    const before = await generations();
    const name = await strike(await startLeader(), 'SIGKILL', 1);
    for (let more = 0; more < 2; more += 1) {
      await forgetLease();
      const leader = await startLeader();
      leader.send('SIGKILL');
      await leader.ended;
    }
    await forgetLease();
    await startLeader();
    await expectCloned(name, before);
  });
});

test('a leader that is paused beyond its lease: another one continues, and the resumed one writes nothing', {
  timeout: TIMEOUT_MS,
}, async () => {
  const leader = await startLeader();
  const other = await start();
  const before = await generations();
  const name = await strike(leader, 'SIGSTOP', 3);
  await waitUntil({ what: 'the other one leads' }, other.leads);
  await untilDone(name);
  leader.send('SIGCONT');
  await waitUntil({ what: 'the woken one knows that it does not lead' }, async () => !(await leader.leads()));
  await expectCloned(name, before);
});

test('an API server that fails for a while: the other flags are copied afterwards', {
  timeout: TIMEOUT_MS,
}, async () => {
  const proxy = await proxyFor(cluster);
  await startLeader(await proxiedKubeconfig(proxy, kubeconfig));
  const before = await generations();
  const fault = refusal(500);
  const patches: unknown[] = [];
  const isPatch = on('featureflags', 'patch');
  // The first patches, one for each flag, have no effect. The fault begins in the middle of those that have one.
  const match: typeof isPatch = (request) => isPatch(request) && patches.push(request) > COUNT + COUNT / 4;
  proxy.inject({ fault, times: COUNT / 2, match });
  await expectCloned(await ask(), before);
  expectFired(proxy, fault);
  await Promise.all(replicas.map((replica) => replica.stop()));
  replicas = [];
  await proxy.stop();
});

test('writes of others to the flags meanwhile are not lost, and their changes to a copy stay', {
  timeout: TIMEOUT_MS,
}, async () => {
  await startLeader();
  const writes: Promise<unknown>[] = [];
  const turnedOff = new Set<string>();
  const unwatch = await watchFlags({ kubeconfig: cluster.kubeconfig, namespace: home }, ({ metadata, spec }) => {
    const copy = spec.environments?.[name];
    if (!copy?.enabled || turnedOff.has(metadata.name)) return;
    turnedOff.add(metadata.name);
    writes.push(objects.patch(metadata.name, { environments: { [name]: { enabled: false } } }));
  });
  const name = `copy-${environments + 1}`;
  await ask();
  for (const flag of names) writes.push(objects.patch(flag, { description: `about ${flag}` }));
  await untilDone(name);
  await waitUntil(
    { what: 'every copy that was on is seen' },
    () => turnedOff.size === names.filter((_, index) => index % 3 !== 0).length,
  );
  await Promise.all(writes);
  for (const [index, flag] of names.entries()) {
    const { spec } = await objects.get(flag);
    expect(spec.description).toBe(`about ${flag}`);
    expect(spec.environments[name]).toEqual({ ...copyOf(index, name), enabled: false });
  }
  unwatch();
});
