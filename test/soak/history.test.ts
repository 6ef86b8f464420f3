/** Many writers at once, through every API: no acknowledged change is lost, no refused one is stored. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { SeenRequest } from '../support/fault-proxy/exchange.ts';
import { lostAnswer, reset } from '../support/fault-proxy/faults.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import { expectFired, on, recordHistory } from '../support/fault-proxy/report.ts';
import { cutMidFrame } from '../support/fault-proxy/watch-faults.ts';
import { checkHistory } from '../support/history/check-history.ts';
import { ENVIRONMENTS, STRATEGY } from '../support/history/fields.ts';
import { entryPoints, type Operation } from '../support/history/history.ts';
import { planWriters, WRITERS } from '../support/history/plan.ts';
import { type Incident, type Run, runWriters } from '../support/history/run-writers.ts';
import type { Ended } from '../support/operator-program.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';

/** A run in one line. `retries` are the conflicts that the replicas had and resolved by themselves, or gave up on. */
function summaryOf({ history, durationMs }: Run, seed: number, retries: number): string {
  const { operations, reads, versions } = history;
  const byEntryPoint = entryPoints.map(
    (entryPoint) => `${entryPoint} ${tally(operations.filter((one) => one.entryPoint === entryPoint))}`,
  );
  const refused = operations.filter(({ outcome }) => outcome.type === 'refused' && [409, 412].includes(outcome.status));
  const seconds = (durationMs / 1000).toFixed(1);
  return [
    `seed ${seed}: ${operations.length} operations (acknowledged/refused/unknown: ${byEntryPoint.join(', ')})`,
    `${reads.length} reads`,
    `${versions.length} versions`,
    `conflicts: ${refused.length} answered, ${retries} met by replicas`,
    `${seconds} s`,
  ].join('; ');
}

function tally(operations: readonly Operation[]): string {
  const count = (type: Operation['outcome']['type']) =>
    operations.filter(({ outcome }) => outcome.type === type).length;
  return `${count('acknowledged')}/${count('refused')}/${count('unknown')}`;
}

const cluster = sharedCluster();
const flags = ['apple', 'birch', 'cedar', 'delta', 'elder'];
const OPERATIONS_EACH = Number(process.env['HISTORY_OPERATIONS'] ?? 80);
const OPERATIONS = OPERATIONS_EACH * WRITERS;
/** The number of times that all connections to the API server break at once. Each time the watches wait longer. */
const DROPS = 5;
const RUN_TIMEOUT_MS = 180_000;
/** The model of the writers has no owners of fields, so no write may be refused because of an owner. */
const everybodyWrites = { VEXIL_PROTECTED_MANAGERS: 'none' };

/**
 * `HISTORY_SEEDS=7` repeats a plan, `HISTORY_SEEDS=1-10` tries many; `HISTORY_OPERATIONS=200` makes each writer do
 * more.
 */
const [first = 1, last = first] = (process.env['HISTORY_SEEDS'] ?? '1').split('-').map(Number);
const seeds = Array.from({ length: last - first + 1 }, (_, index) => first + index);

let home: string;
let kubeconfig: string;
let transport: Transport;
let started: number;
/** The replicas that are running. */
let replicas: (Replica & { readonly name: string })[] = [];

beforeAll(() => {
  transport = connect(loadKubeConfig(cluster.kubeconfig));
});

afterAll(() => transport.close());

afterEach(() => Promise.all(replicas.map((replica) => replica.stop())));

async function start(): Promise<void> {
  const replica = await startReplica({ kubeconfig, home, settings: everybodyWrites });
  await waitUntil({ what: 'the replica is ready' }, replica.isReady);
  started += 1;
  replicas.push({ ...replica, name: `replica-${started}` });
}

/** `reach` may put a proxy between the replicas and the API server. */
async function setUp(reach = async (direct: string) => direct): Promise<void> {
  replicas = [];
  started = 0;
  home = await cluster.freshNamespace('history');
  kubeconfig = await reach(await replicaKubeconfig(cluster, home));
  const place = { strategies: { [STRATEGY]: { name: 'default' } } };
  const environments = Object.fromEntries(ENVIRONMENTS.map((name) => [name, place]));
  const objects = [
    ...ENVIRONMENTS.map((name) => object('Environment', name, {})),
    object('Project', 'shop', {}),
    ...flags.map((name) => object('FeatureFlag', name, { project: 'shop', environments })),
  ];
  await cluster.kubectlOrThrow(['create', '-f', '-'], { input: objects.join('\n---\n') });
  await start();
  await start();
}

function object(kind: string, name: string, spec: object): string {
  return JSON.stringify({ apiVersion: 'vexil.dev/v1beta1', kind, metadata: { name, namespace: home }, spec });
}

function run(seed: number, incidents: readonly Incident[] = []): Promise<Run> {
  const writers = planWriters({ seed, flags, operationsEach: OPERATIONS_EACH });
  const place = { transport, namespace: home };
  return runWriters({ writers, flags, place, replicas: () => replicas, incidents });
}

const CONFLICTS = 'vexil_kube_request_duration_seconds_count{method="PATCH",resource="featureflags",status="409"}';

async function report(done: Run, seed: number): Promise<void> {
  const conflicts = await Promise.all(replicas.map((replica) => replica.metric(CONFLICTS)));
  const met = conflicts.reduce((sum, count) => sum + count, 0);
  process.stdout.write(`history ${summaryOf(done, seed, met)}\n`);
}

describe('writers on two replicas, by kubectl and by server-side apply', () => {
  test.each(seeds)(
    'lose nothing, and store nothing that was refused (seed %i)',
    { timeout: RUN_TIMEOUT_MS },
    async (seed) => {
      await setUp();
      const done = await run(seed);
      await report(done, seed);
      expect(checkHistory(done.history)).toEqual([]);
      expect(done.history.operations.filter(({ outcome }) => outcome.type === 'unknown')).toEqual([]);
    },
  );

  test('lose nothing when a replica is killed among them', { timeout: RUN_TIMEOUT_MS }, async () => {
    await setUp();
    let end: Ended | undefined;
    const killOne = async () => {
      const [victim] = replicas;
      replicas = replicas.slice(1);
      victim?.send('SIGKILL');
      end = await victim?.ended;
      await start();
    };
    const done = await run(first, [{ afterOperations: OPERATIONS / 2, happen: killOne }]);
    await report(done, first);
    expect(end).toEqual({ code: null, signal: 'SIGKILL' });
    expect(checkHistory(done.history)).toEqual([]);
  });

  test('lose nothing when calls and watches break off all the time', { timeout: RUN_TIMEOUT_MS }, async () => {
    const proxy = await proxyFor(cluster);
    try {
      await setUp((direct) => proxiedKubeconfig(proxy, direct));
      const cut = cutMidFrame(100);
      const writes = on('featureflags', 'patch', 'create', 'delete');
      proxy.inject({ fault: lostAnswer, match: each(20, writes) });
      proxy.inject({ fault: reset, match: each(30, writes) });
      proxy.inject({ fault: cut, match: each(3, on('featureflags', 'watch')) });
      const drops = Array.from({ length: DROPS }, (_, index) => Math.floor((OPERATIONS * (index + 1)) / (DROPS + 1)));
      const done = await run(
        first,
        drops.map((afterOperations) => ({ afterOperations, happen: proxy.drop })),
      );
      recordHistory(proxy, 'writers with broken connections');
      await report(done, first);
      expect(checkHistory(done.history)).toEqual([]);
      for (const fault of [lostAnswer, reset, cut]) expectFired(proxy, fault);
      expect(done.history.operations.some(({ outcome }) => outcome.type === 'unknown')).toBe(true);
    } finally {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await proxy.stop();
    }
  });
});

/** Matches one request of that many. */
function each(share: number, match: (request: SeenRequest) => boolean): (request: SeenRequest) => boolean {
  let met = 0;
  return (request) => {
    if (!match(request)) return false;
    met += 1;
    return met % share === 0;
  };
}
