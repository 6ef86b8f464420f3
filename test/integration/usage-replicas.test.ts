/**
 * Two replicas that store the reports of SDKs in one PostgreSQL: the sums equal what was sent, even if a replica ends
 * in between.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningPostgres, startPostgres } from '../support/archive/postgres.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import type { Stored } from '../support/stored.ts';
import { openStoredUsage, type StoredUsage } from '../support/stored-usage.ts';
import { LONG_LEASE } from '../support/timings.ts';

const TIMEOUT_MS = 120_000;
const cluster = sharedCluster();
let home: string;
let kubeconfig: string;
let postgres: RunningPostgres;
let url: string;
let stored: StoredUsage;
let uids: Readonly<Record<string, string>>;
let first: Replica;
let second: Replica;

async function start(): Promise<Replica> {
  const settings = {
    VEXIL_AUDIT_URL: url,
    VEXIL_USAGE_FLUSH_INTERVAL: '300ms',
    VEXIL_USAGE_FLAG_METRICS: '1',
    ...LONG_LEASE,
  };
  const replica = await startReplica({ kubeconfig, home, settings });
  await waitUntil({ what: 'the replica is ready' }, replica.isReady);
  return replica;
}

const flagObject = (name: string): Promise<Stored> => cluster.getObject(`ff/${name}`, home);

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.freshUrl();
  home = await cluster.freshNamespace('usage-replicas');
  kubeconfig = await replicaKubeconfig(cluster, home);
  const environments = { production: { enabled: true, strategies: { all: { name: 'default' } } } };
  await cluster.apply([
    anEnvironment(`${home}/production`),
    aProject(`${home}/shop`),
    ...['apple', 'birch', 'cedar'].map((name) =>
      aFlag(`${home}/${name}`, { variants: [{ name: 'red' }], environments }),
    ),
    aFlag(`${home}/gone`, { environments, archived: true }),
  ]);
  const names = ['apple', 'birch', 'cedar', 'gone'];
  uids = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, (await flagObject(name)).metadata.uid] as const)),
  );
  // Both replicas create the tables at the same time.
  [first, second] = await Promise.all([start(), start()]);
  stored = openStoredUsage(url);
}, TIMEOUT_MS);

afterAll(async () => {
  await stored?.close();
  await Promise.all([first?.stop(), second?.stop()]);
  await postgres?.stop();
});

type Toggles = Readonly<Record<string, unknown>>;

async function report(replica: Replica, toggles: Toggles, more: object = {}): Promise<void> {
  const bucket = { start: new Date().toISOString(), stop: new Date().toISOString(), toggles };
  const answer = await fetch(`${replica.url}/api/client/metrics`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ appName: 'checkout', instanceId: 'i', bucket, ...more }),
  });
  expect(answer.status).toBe(202);
}

const untilStored = (name: string, want: object) =>
  waitUntil({ what: `${name} has ${JSON.stringify(want)}` }, async () => {
    const total = await stored.totalOf(uids[name] ?? '');
    return JSON.stringify(total) === JSON.stringify(want);
  });

test('the status has the day on which a flag was last seen: one write, which reconciles nothing', {
  timeout: TIMEOUT_MS,
}, async () => {
  const leader = await waitUntil({ what: 'a replica leads' }, async () => {
    const leads = await Promise.all([first.leads(), second.leads()]);
    return [first, second].find((_, index) => leads[index]);
  });
  const series = 'vexil_reconcile_duration_seconds_count{kind="FeatureFlag",result="success"}';
  const queued = ['vexil_queue_depth', 'vexil_queue_unfinished_work_seconds'];
  const reconciles = await waitUntil({ what: 'every flag is judged, and none is due again' }, async () => {
    const flags = await Promise.all(Object.keys(uids).map(flagObject));
    if (!flags.every(({ status }) => status?.conditions)) return undefined;
    const due = await Promise.all(queued.map((name) => leader.metric(`${name}{kind="FeatureFlag"}`)));
    return due.every((value) => value === 0) ? leader.metric(series) : undefined;
  });
  const before = await flagObject('apple');
  await report(leader === first ? second : first, { apple: { yes: 1, no: 0 } });
  const seen = await waitUntil({ what: 'the status says so' }, async () => {
    const flag = await flagObject('apple');
    return flag.status.lastSeenAt === undefined ? undefined : flag;
  });
  const { lastSeenAt, ...status } = seen.status;
  expect([Date.now() - Date.parse(lastSeenAt) < 60_000, status]).toEqual([true, before.status]);
  await report(leader, { apple: { yes: 1, no: 0 }, birch: { yes: 1, no: 0 } });
  // The other flag comes later in the same pass, so the first one has been checked.
  await waitUntil({ what: 'the other flag has it' }, async () => (await flagObject('birch')).status.lastSeenAt);
  expect((await flagObject('apple')).metadata.resourceVersion).toBe(seen.metadata.resourceVersion);
  const wide = await cluster.kubectlOrThrow(['get', 'ff', 'apple', '-n', home, '-o', 'wide']);
  const [head = '', row = ''] = wide.split('\n');
  expect(row.slice(head.indexOf('LAST SEEN'))).toMatch(/^\d+(s|m)/);
  expect(await leader.metric(series)).toBe(reconciles);
});

test('the reports to both replicas add up, with variants, applications and names that no live flag has', {
  timeout: TIMEOUT_MS,
}, async () => {
  const cedar = { yes: 2, no: 1, variants: { red: 2 } };
  const reports = Array.from({ length: 40 }, (_, index) =>
    report(index % 2 === 0 ? first : second, { cedar, typo: { yes: 1, no: 0 }, gone: { yes: 1, no: 0 } }),
  );
  await Promise.all(reports);
  await untilStored('cedar', { yes: 80, no: 40 });
  expect(await stored.countsOf(uids['cedar'] ?? '', { grain: 'hour', since: 0 })).toMatchObject([
    { environment: 'production', appName: 'checkout', variants: { red: 80 } },
  ]);
  const unknown = await stored.unknownFlags();
  expect(Object.fromEntries(unknown.map(({ name, archivedUid }) => [name, archivedUid]))).toEqual({
    typo: undefined,
    gone: uids['gone'],
  });
  expect((await stored.application('checkout'))?.environments).toMatchObject([
    { environment: 'production', instanceCount: 1 },
  ]);
  for (const replica of [first, second]) {
    const named = await replica.metric(
      'vexil_flag_evaluations_total{flag="other",environment="production",result="no"}',
    );
    expect(named).toBe(20);
    expect(
      await replica.metric('vexil_sdk_requests_total{environment="production",endpoint="report"}'),
    ).toBeGreaterThan(0);
  }
});

test('unusual reports are accepted, and their readable parts count', { timeout: TIMEOUT_MS }, async () => {
  const total = await stored.totalOf(uids['birch'] ?? '');
  const birch = { yes: 1, no: 0 };
  const now = new Date().toISOString();
  const odd: readonly (readonly [object, number])[] = [
    [{ bucket: null }, 0],
    [{ bucket: { stop: 'never', toggles: { birch: { ...birch, variants: null } } } }, 1],
    [{ bucket: { stop: now.replace('Z', '377491Z'), toggles: { birch } }, appName: 'a\u0000b', sdkVersion: 7 }, 1],
    // A report that cannot be stored as it was sent is not read, as at any other endpoint.
    [{ bucket: { toggles: { birch } }, appName: '\ud800' }, 0],
    [{ bucket: { stop: '1999-01-01T00:00:00Z', toggles: { birch, '\u0000': birch, ['x'.repeat(5_000)]: birch } } }, 1],
    [{ bucket: { stop: Date.now(), toggles: { birch: { yes: 1.5, no: '7', variants: { red: -1 } }, cedar: 5 } } }, 0],
    [{ bucket: { toggles: { birch: { yes: 1, variants: { '': 1, __proto__: 1, ['v'.repeat(500)]: 1 } } } } }, 1],
    [{ appName: { $gt: '' }, connectionId: ['x'], strategies: 'default', bucket: { toggles: { birch } } }, 1],
  ];
  for (const [body] of odd) await report(first, {}, body);
  const counted = odd.reduce((sum, [, evaluations]) => sum + evaluations, 0);
  await untilStored('birch', { yes: total.yes + counted, no: total.no });
  expect(await first.metric('vexil_usage_dropped_evaluations_total')).toBe(0);
  const applications = await stored.applications({
    ...{ query: undefined, offset: 0, limit: 10, sort: { by: 'appName', order: 'asc' } },
  });
  expect(applications.applications.map(({ appName }) => appName)).toEqual(['a b', 'checkout', 'unknown']);
});

test('the database stops and starts again: reports are accepted and flags evaluated, and nothing is lost or counted twice', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { yes, no } = await stored.totalOf(uids['cedar'] ?? '');
  let sent = 0;
  const send = async () => {
    sent += 1;
    await report(sent % 2 === 0 ? first : second, { cedar: { yes: 1, no: 0 } });
  };
  for (let count = 0; count < 20; count += 1) await send();
  await postgres.halt();
  for (let count = 0; count < 20; count += 1) await send();
  const failures = () => first.metric('vexil_usage_failures_total{action="flush"}');
  await waitUntil({ what: 'a flush has failed' }, async () => (await failures()) > 0);
  for (let count = 0; count < 20; count += 1) await send();
  expect((await fetch(`${first.url}/api/client/features`)).status).toBe(200);
  expect(await first.metric('vexil_usage_away_seconds')).toBeGreaterThan(0);
  await postgres.resume();
  for (let count = 0; count < 20; count += 1) await send();
  await untilStored('cedar', { yes: yes + sent, no });
  expect(await first.metric('vexil_usage_dropped_evaluations_total')).toBe(0);
});

test('a replica that stops writes everything first; a killed one loses the last interval at most', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { yes, no } = await stored.totalOf(uids['cedar'] ?? '');
  await Promise.all(Array.from({ length: 50 }, () => report(second, { cedar: { yes: 1, no: 0 } })));
  await second.stop();
  expect(await stored.totalOf(uids['cedar'] ?? '')).toEqual({ yes: yes + 50, no });
  await report(first, { cedar: { yes: 1, no: 0 } });
  await untilStored('cedar', { yes: yes + 51, no });
  await report(first, { cedar: { yes: 1, no: 0 } });
  first.send('SIGKILL');
  await first.ended;
  const after = await stored.totalOf(uids['cedar'] ?? '');
  expect([yes + 51, yes + 52]).toContain(after.yes);
});
