/** The clone of an environment with hundreds of flags: one write each, in bounded time and memory. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copiedStrategyId, strategyIdOf } from '../../src/domain/flag/strategy-id.ts';
import { footprintOf } from '../perf/scale/footprint.ts';
import { adminClient } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';

const cluster = sharedCluster();
/** `CLONED_FLAGS=1000` takes three minutes. */
const COUNT = Number(process.env['CLONED_FLAGS'] ?? 300);
const CONCURRENCY = 8;
const DEADLINE_MS = 150_000;
/** The report of a step of the clone, and the counts, are each written at most once per this interval. */
const BETWEEN_WRITES_MS = 1_000;

let home: string;
let objects: FlagsDirectly;
let replica: Replica;

const strategy = (rollout: number) => ({
  name: 'flexibleRollout',
  parameters: { rollout, groupId: 'g', stickiness: 'default' },
  constraints: [{ contextName: 'userId', operator: 'IN', values: ['1', '2', '3'] }],
});
const production = { enabled: true, strategies: { some: strategy(25), more: { ...strategy(50), sortOrder: 1 } } };
const names = Array.from({ length: COUNT }, (_, index) => `flag-${index}`);

async function eachFlag(work: (name: string) => Promise<unknown>): Promise<void> {
  const waiting = names.values();
  const worker = async () => {
    for (const name of waiting) await work(name);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

beforeAll(async () => {
  home = await cluster.freshNamespace('clone-many');
  objects = flagsDirectly(cluster.kubeconfig, home);
  await objects.apply('Environment', 'production', {});
  await objects.apply('Project', 'shop', {});
  await eachFlag((name) => objects.apply('FeatureFlag', name, { project: 'shop', environments: { production } }));
  const kubeconfig = await replicaKubeconfig(cluster, home);
  // A leader that loses its lease validates the clone again.
  replica = await startReplica({ kubeconfig, home, settings: { VEXIL_LEADER_ELECTION: 'false' } });
  await waitUntil({ what: 'every flag is judged', timeoutMs: 90_000, everyMs: 500 }, async () => {
    return (await replica.metric('vexil_queue_depth{kind="FeatureFlag"}')) === 0 && (await statusWrites()) >= COUNT;
  });
});

afterAll(async () => {
  await replica?.stop();
  objects?.close();
});

const patches = (resource: string) =>
  replica.metric(`vexil_kube_request_duration_seconds_count{method="PATCH",resource="${resource}",status="200"}`);
const statusWrites = () => patches('featureflags/status');

test(`${COUNT} flags: one write per flag and one dry run before it`, {
  timeout: DEADLINE_MS + 30_000,
}, async () => {
  const [patchesBefore, statusesBefore, before] = await Promise.all([
    patches('featureflags'),
    patches('environments/status'),
    footprintOf(replica.pid),
  ]);
  const startedAt = performance.now();
  const body = { name: 'staging', type: 'test', projects: ['shop'] };
  const call = adminClient(replica.url);
  const { body: environment } = await waitUntil({ what: 'it is cloned', timeoutMs: DEADLINE_MS }, async () => {
    const answer = await call('POST /environments/production/clone', { body });
    // On a slow machine the clone may take longer than a call waits.
    return answer.status !== 503 && answer;
  });
  const seconds = (performance.now() - startedAt) / 1000;
  expect(environment.enabledToggleCount).toBe(COUNT);

  const after = await footprintOf(replica.pid);
  const writes = (await patches('featureflags')) - patchesBefore;
  const progress = (await patches('environments/status')) - statusesBefore;
  process.stdout.write(
    `clone of ${COUNT} flags: ${seconds.toFixed(1)} s, ${writes} patches of flags (${COUNT} of them tries), ${progress} of the status, ` +
      `${Math.round(before.residentMb)} MB before, ${Math.round(after.residentMb)} MB after, ${Math.round(after.peakMb)} MB at most, ` +
      `${(after.cpuSeconds - before.cpuSeconds).toFixed(1)} s of CPU\n`,
  );
  expect(writes).toBe(2 * COUNT);
  expect(progress).toBeLessThanOrEqual(5 + (2 * DEADLINE_MS) / BETWEEN_WRITES_MS);
  expect(after.residentMb - before.residentMb).toBeLessThan(150);
  await eachFlag(async (name) => {
    const { metadata, spec } = await objects.get(name);
    const strategies = Object.entries(production.strategies).map(([key, one]) => {
      const id = strategyIdOf({ flag: name, environment: 'production', key });
      return [copiedStrategyId(id, 'staging'), one];
    });
    expect(spec.environments.staging, name).toEqual({ enabled: true, strategies: Object.fromEntries(strategies) });
    expect(metadata.generation, name).toBe(2);
  });
});
