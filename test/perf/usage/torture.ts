/**
 * Many instances of SDKs that report to two replicas on PostgreSQL, while the database stops and a replica restarts.
 */

import { pause } from '../../../src/model/clock.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { type RunningPostgres, startPostgres } from '../../support/archive/postgres.ts';
import { aFlag, anEnvironment, aProject } from '../../support/builders.ts';
import type { ControlPlaneAccess } from '../../support/control-plane/access.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type Replica, startReplica } from '../../support/replica.ts';
import { openStoredUsage, type StoredUsage } from '../../support/stored-usage.ts';
import { keptClient } from '../kept-client.ts';
import { footprintOf } from '../scale/footprint.ts';

export interface Torture {
  readonly cluster: ControlPlaneAccess;
  readonly kubeconfig: string;
  readonly home: string;
  readonly instances: number;
  readonly flags: number;
  /** The interval of the reports of each instance. */
  readonly everySeconds: number;
  readonly seconds: number;
  /** The time for which the database is stopped in the middle. */
  readonly awaySeconds: number;
  readonly flushInterval: string;
  readonly say: (line: string) => void;
}

export interface Outcome {
  readonly reports: number;
  /** The number of sent evaluations. */
  readonly sent: number;
  readonly stored: number;
  readonly dropped: number;
  readonly failedFlushes: number;
  /** The upper bound of the bucket with the 99th percentile, in seconds. */
  readonly flushP99: number;
  readonly deadlocks: number;
  /** The highest memory of a replica, and its memory at first. */
  readonly residentMb: { readonly before: number; readonly peak: number };
}

/**
 * Runs the load. The sums of what was sent are in `sent`, those of what is stored in `stored`. One replica is restarted
 * by SIGTERM.
 */
export async function tortureUsage(torture: Torture): Promise<Outcome> {
  const postgres = await startPostgres();
  const replicas: Replica[] = [];
  const url = await postgres.freshUrl();
  const stored = openStoredUsage(url);
  try {
    const uids = await createFlags(torture);
    replicas.push(...(await Promise.all([start(torture, url), start(torture, url)])));
    return await run({ torture, postgres, url, replicas, stored, uids });
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await stored.close();
    await postgres.stop();
  }
}

async function createFlags({ cluster, home, flags }: Torture): Promise<readonly string[]> {
  const environments = { production: { enabled: true, strategies: { all: { name: 'default' } } } };
  const variants = [{ name: 'red' }, { name: 'blue' }];
  await cluster.apply([
    anEnvironment(`${home}/production`),
    aProject(`${home}/shop`),
    ...Array.from({ length: flags }, (_, index) => aFlag(`${home}/flag-${index}`, { variants, environments })),
  ]);
  const list: { readonly items: readonly { readonly metadata: { readonly uid: string } }[] } = JSON.parse(
    await cluster.kubectlOrThrow(['get', 'ff', '-n', home, '-o', 'json']),
  );
  return list.items.map(({ metadata }) => metadata.uid);
}

async function start({ kubeconfig, home, flushInterval }: Torture, url: string): Promise<Replica> {
  const settings = { VEXIL_AUDIT_URL: url, VEXIL_USAGE_FLUSH_INTERVAL: flushInterval };
  const replica = await startReplica({ kubeconfig, home, settings });
  await waitUntil({ what: 'the replica is ready', timeoutMs: 60_000 }, replica.isReady);
  return replica;
}

interface Running {
  readonly torture: Torture;
  readonly postgres: RunningPostgres;
  readonly url: string;
  readonly replicas: Replica[];
  readonly stored: StoredUsage;
  readonly uids: readonly string[];
}

async function run(running: Running): Promise<Outcome> {
  const { torture, replicas } = running;
  const { instances, everySeconds, seconds, awaySeconds, say } = torture;
  const before = (await footprintOf(replicas[0]?.pid ?? 0)).residentMb;
  const clients = replicas.map(({ url }) => keptClient({ url }));
  const body = reportOf(torture);
  const beginsAt = performance.now();
  const total = Math.floor((instances * seconds) / everySeconds);
  let sent = 0;
  let isRestarting = false;
  const events = disturb(running, {
    stopAt: seconds * 0.4,
    resumeAt: seconds * 0.4 + awaySeconds,
    restartAt: Math.min(seconds * 0.9, seconds * 0.4 + awaySeconds + 5),
    onRestart: (now) => {
      isRestarting = now;
    },
  });
  const failures: unknown[] = [];
  const under = new Set<Promise<void>>();
  for (let index = 0; index < total; index += 1) {
    const dueAt = beginsAt + (index * everySeconds * 1_000) / instances;
    await untilTime(dueAt);
    // SDKs behind a Service do this while one of its replicas restarts.
    const client = clients[isRestarting ? 0 : index % 2];
    const call = { method: 'POST', path: '/api/client/metrics', body: body(index % instances) } as const;
    const sending: Promise<void> = (client?.call(call) ?? Promise.reject(new Error('no replica')))
      .then(
        () => {
          sent += 1;
        },
        (error: unknown) => void failures.push(error),
      )
      .finally(() => under.delete(sending));
    under.add(sending);
  }
  await Promise.all(under);
  await events;
  for (const client of clients) client.close();
  if (failures.length > 0) throw new Error(`${failures.length} reports failed: ${failures[0]}`);
  say(`${sent} reports were sent; waiting for what is stored`);
  return outcomeOf(running, { before, reports: sent });
}

/** Stops the database, starts it again, and restarts the second replica. */
async function disturb(
  { torture, postgres, replicas, url }: Running,
  times: {
    readonly stopAt: number;
    readonly resumeAt: number;
    readonly restartAt: number;
    readonly onRestart: (now: boolean) => void;
  },
): Promise<void> {
  const beginsAt = performance.now();
  const until = (second: number) => untilTime(beginsAt + second * 1_000);
  await until(times.stopAt);
  torture.say('the database stops');
  await postgres.halt();
  await until(times.resumeAt);
  await postgres.resume();
  torture.say('the database is back');
  await until(times.restartAt);
  times.onRestart(true);
  const second = replicas.pop();
  await second?.stop();
  torture.say('a replica has stopped and begins again');
  replicas.push(await start(torture, url));
}

function reportOf({ flags }: Torture): (instance: number) => object {
  const counts = { yes: 2, no: 1, variants: { red: 1, blue: 1 } };
  const toggles = Object.fromEntries(Array.from({ length: flags }, (_, index) => [`flag-${index}`, counts]));
  return (instance) => ({
    ...{ appName: `app-${instance % 5}`, instanceId: `i-${instance}`, connectionId: `c-${instance}` },
    ...{ sdkVersion: 'unleash-client-node:6.12.1' },
    bucket: { start: new Date().toISOString(), stop: new Date().toISOString(), toggles },
  });
}

/** Resolves at once if the time has passed. */
async function untilTime(at: number): Promise<void> {
  const waitMs = at - performance.now();
  if (waitMs > 0) await pause(systemClock, waitMs);
}

async function outcomeOf(
  { torture, replicas, stored, uids, postgres }: Running,
  { before, reports }: { readonly before: number; readonly reports: number },
): Promise<Outcome> {
  const sent = reports * torture.flags * 3;
  const total = async () => {
    const places = [...(await stored.summaryOf(uids, 0)).values()].flat();
    return places.flatMap(({ days }) => days).reduce((sum, { yes, no }) => sum + yes + no, 0);
  };
  const settled = async () =>
    (await Promise.all(replicas.map((one) => one.metric('vexil_usage_keys')))).every((keys) => keys === 0);
  await waitUntil({ what: 'everything in memory is stored', timeoutMs: 120_000, everyMs: 500 }, settled);
  const [first] = replicas;
  const of = async (series: string) => (await first?.metric(series)) ?? 0;
  return {
    reports,
    sent,
    stored: await total(),
    dropped: await of('vexil_usage_dropped_evaluations_total'),
    failedFlushes: await of('vexil_usage_failures_total{action="flush"}'),
    flushP99: p99In((await first?.metricsPage()) ?? ''),
    deadlocks: await deadlocksIn(postgres),
    residentMb: { before, peak: (await footprintOf(first?.pid ?? 0)).peakMb },
  };
}

function p99In(page: string): number {
  const rows = [...page.matchAll(/^vexil_usage_flush_duration_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)];
  const total = Number(rows.at(-1)?.[2] ?? 0);
  const [, bound] = rows.find(([, , count]) => Number(count) >= 0.99 * total) ?? [];
  return bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
}

/** The number of deadlocks since the last start of the database. */
async function deadlocksIn(postgres: RunningPostgres): Promise<number> {
  const url = await postgres.freshUrl();
  const [row] = await postgres.query(url, 'select sum(deadlocks) as deadlocks from pg_stat_database');
  return Number(row?.['deadlocks'] ?? 0);
}
