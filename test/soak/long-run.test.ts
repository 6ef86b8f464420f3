/**
 * Writers, searches, streams and SDKs, round after round, while PostgreSQL and the API server stop and start: nothing
 * grows, nothing is lost.
 */
import { readdir } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Unleash } from 'unleash-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { IMAGE_ENVIRONMENT } from '../perf/program.ts';
import { footprintOf } from '../perf/scale/footprint.ts';
import { type RunningPostgres, startPostgres } from '../support/archive/postgres.ts';
import { writeMixed } from '../support/audit/mixed-writers.ts';
import { type AuditStage, FLAGS, setAuditStage } from '../support/audit/stage.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { untilAdmitted } from '../support/control-plane/until-admitted.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { openStream } from '../support/event-stream.ts';
import { endSdk, nextEvent, startSdk } from '../support/sdk-world.ts';

/** The slope of the straight line through points with the least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)));
  return covariance / mean(points.map(([x]) => (x - meanX) ** 2));
}

/** `SOAK_SECONDS=3600` runs for an hour. */
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 60);
const HOME = 'vexil-system';
const CHANGES = 150;
const STREAMS = 4;
/**
 * Node.js uses as much memory as it may before it collects garbage, so the limit is low. The environment of the image
 * sets the number of arenas of malloc: with the default, freed memory stays fragmented, and resident memory grows.
 */
const LITTLE_MEMORY = { ...IMAGE_ENVIRONMENT, NODE_OPTIONS: '--max-old-space-size=128 --max-semi-space-size=4' };
/** Watches wait longer after each failure; this limit keeps the wait shorter than the time to the next restart. */
const RETRIES = { VEXIL_WATCH_RETRY_MAX: '2s' };
/** Rounds between two restarts of the API server. */
const API_SERVER_ROUNDS = 5;
const PROGRESS_ROUNDS = 50;
/**
 * The largest ratio of the least resident memory in the last third of the rounds to that in the middle third: a leak
 * raises it, a peak does not.
 */
const MAX_GROWTH = 1.1;
/** The operator is warm after a third of these rounds. */
const MIN_ROUNDS = 12;
/** The number of additional connections that may be kept for a while; there are more when the API server is slow. */
const FEW = 16;
/** The largest mean. An operator that examines each missed version for each kind makes 12,000 reads. */
const MAX_READS_OF_RESTART = 3000;
/** docs/operations.md: an entry in PostgreSQL takes 2.8 kB, a version 0.95 kB; freed pages are reused later. */
const MAX_BYTES_OF_ENTRY = 2 * (2800 + 950);

let plane: ControlPlane;
let postgres: RunningPostgres;
let archiveUrl: string;
let stage: AuditStage;
let operator: Awaited<ReturnType<AuditStage['start']>>;
let sdkToken: string;
let sdks: readonly Unleash[] = [];

beforeAll(async () => {
  [plane, postgres] = await Promise.all([startControlPlane(), startPostgres()]);
  await installDefinitions(plane);
  await plane.kubectlOrThrow(['create', 'namespace', HOME]);
  archiveUrl = await postgres.freshUrl();
  stage = await setAuditStage(plane, HOME, archiveUrl);
  operator = await stage.startRecording({ ...LITTLE_MEMORY, ...RETRIES, VEXIL_LEADER_ELECTION: 'true' });
  const wanted = { tokenName: 'long-run', type: 'client', environment: 'production', projects: ['*'] };
  sdkToken = (await operator.call('POST /api-tokens', { body: wanted })).body.secret;
  const modes = [
    {},
    { experimentalMode: { type: 'polling', format: 'delta' } },
    { experimentalMode: { type: 'streaming' }, customHeaders: { Authorization: sdkToken, 'Fetch-Mode': 'streaming' } },
  ] as const;
  sdks = modes.map((mode) => startSdk(operator.url, { token: sdkToken, ...mode }));
  await Promise.all(sdks.map((sdk) => nextEvent(sdk, 'synchronized')));
});
afterAll(async () => {
  for (const sdk of sdks) endSdk(sdk);
  await stage?.clear('a long run');
  await Promise.all([plane?.stop(), postgres?.stop()]);
});

interface Sample {
  readonly hours: number;
  readonly residentMb: number;
  readonly files: number;
}

/** Searches the history and reads flags until the writers are done. Returns how often the search answered. */
async function searchDuring(writing: Promise<void>): Promise<number> {
  let isOver = false;
  const over = writing.finally(() => {
    isOver = true;
  });
  let answered = 0;
  const search = async () => {
    while (!isOver) {
      const found = await operator.call('GET /search/events?query=writer&limit=100');
      expect([200, 503]).toContain(found.status);
      if (found.status === 200) answered += 1;
      expect((await operator.call('GET /projects/shop/features')).status).toBe(200);
    }
  };
  await Promise.all([over, search()]);
  return answered;
}

async function round(seed: number): Promise<void> {
  const token = stage.token;
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, () => openStream(operator.url, { path: '/api/admin/changes', token })),
  );
  const withoutDatabase = seed % 2 === 0;
  const onChange = (made: number) => {
    if (withoutDatabase && made === CHANGES / 3) return postgres.halt();
    if (withoutDatabase && made === (2 * CHANGES) / 3) return postgres.resume();
    return undefined;
  };
  const { writer: transport } = stage;
  const call = () => operator.call;
  const writing = writeMixed({ namespace: HOME, flags: FLAGS, transport, call, seed, changes: CHANGES, onChange });
  expect(await searchDuring(writing)).toBeGreaterThan(0);
  for (const stream of streams) {
    expect([stream.status, stream.ended]).toEqual([200, undefined]);
    await stream.nth(2);
    stream.close();
  }
}

interface Toggle {
  readonly name: string;
  readonly enabled: boolean;
  readonly stale?: boolean;
}

const statesOf = (toggles: readonly Toggle[]) =>
  toggles.map(({ name, enabled, stale }) => `${name} ${enabled} ${stale ?? false}`).toSorted();

/** Resolves when each SDK, by polls, by deltas and by a stream, has what the operator answers now. */
async function untilSdksFollow(): Promise<void> {
  await waitUntil({ what: 'all SDKs have the present flags', timeoutMs: 60_000 }, async () => {
    const answer = await fetch(`${operator.url}/api/client/features`, { headers: { authorization: sdkToken } });
    const { features } = (await answer.json()) as { features: readonly Toggle[] };
    return sdks.every((sdk) => isDeepStrictEqual(statesOf(sdk.getFeatureToggleDefinitions()), statesOf(features)));
  });
}

interface Restart {
  /** Whether the API server is away until the operator leads no more. */
  readonly endsLease: boolean;
}

/**
 * Restarts the API server. The watches of the test end with it, so nothing changes meanwhile. The history is complete
 * afterwards; returns the number of new entries.
 */
async function restartApiServer({ endsLease }: Restart): Promise<number> {
  await stage.stopSeeing();
  await plane.stopApiServer({ signal: 'SIGKILL' });
  if (endsLease) await waitUntil({ what: 'the operator leads no more' }, async () => !(await operator.leads()));
  await plane.startApiServer();
  await untilAdmitted(stage.writer, HOME);
  await waitUntil({ what: 'the operator leads again', timeoutMs: 60_000 }, operator.leads);
  await stage.see();
  // The operator reads from etcd what it has missed. Under load that takes longer than the time to the next restart.
  await stage.patch('apple', { description: 'after the restart' });
  return compareNew();
}

/** Checks that each change since the last call is recorded once. Returns the number of new entries. */
async function compareNew(): Promise<number> {
  const recorded = await stage.untilAllIsRecorded();
  expect(recorded.filter(({ coalesced }) => coalesced)).toEqual([]);
  await stage.compareLater(recorded);
  return recorded.length;
}

async function settled(startedAt: number): Promise<Sample> {
  for (const metric of ['vexil_audit_waiting_changes', 'vexil_audit_waiting_events', 'vexil_change_streams']) {
    await waitUntil({ what: `${metric} is 0`, timeoutMs: 120_000 }, async () => (await operator.metric(metric)) === 0);
  }
  const { residentMb } = await footprintOf(operator.pid);
  const files = (await readdir(`/proc/${operator.pid}/fd`)).length;
  return { hours: (systemClock.now() - startedAt) / 3_600_000, residentMb, files };
}

/** The number of reads of the API server so far. */
async function readsMade(): Promise<number> {
  const counts = (await operator.metricsPage()).matchAll(
    /^vexil_kube_request_duration_seconds_count\{method="GET".* (\d+)$/gm,
  );
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

async function archiveBytes(): Promise<number> {
  const [row] = await postgres.query(archiveUrl, 'select pg_database_size(current_database()) as bytes');
  return Number(row?.['bytes']);
}

test(`${SECONDS} s of changes, searches, streams and SDKs with restarts of PostgreSQL and the API server`, {
  timeout: (SECONDS + 1200) * 1000,
}, async () => {
  const startedAt = systemClock.now();
  const bytesBefore = await archiveBytes();
  const samples: Sample[] = [];
  let recorded = 0;
  for (let seed = 1; systemClock.now() - startedAt < SECONDS * 1000 || samples.length < MIN_ROUNDS; seed += 1) {
    await round(seed);
    await untilSdksFollow();
    samples.push(await settled(startedAt));
    const isRestart = seed % API_SERVER_ROUNDS === 0;
    if (isRestart) recorded += await restartApiServer({ endsLease: (seed / API_SERVER_ROUNDS) % 2 === 0 });
    if (seed % PROGRESS_ROUNDS === 0) process.stdout.write(`long run: ${seed} rounds, ${recorded} entries\n`);
  }
  recorded += await compareNew();
  const bytesOfEntry = ((await archiveBytes()) - bytesBefore) / recorded;

  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(-third)];
  const slope = slopeOf(samples.slice(third).map(({ hours, residentMb }) => [hours, residentMb]));
  const reads = await readsMade();
  const [resident, files] = [samples.map((one) => Math.round(one.residentMb)), samples.map((one) => one.files)];
  process.stdout.write(
    `long run: ${samples.length} rounds, ${recorded} entries of ${Math.round(bytesOfEntry)} bytes; resident ${resident.join(', ')} MiB (${slope.toFixed(0)} MiB an hour), files ${files.join(', ')}; ${reads} reads of the API server\n`,
  );
  const least = (some: readonly Sample[]) => Math.min(...some.map(({ residentMb }) => residentMb));
  expect(least(last)).toBeLessThan(MAX_GROWTH * least(middle));
  const most = (some: readonly Sample[]) => Math.max(...some.map((one) => one.files));
  expect(most(last)).toBeLessThanOrEqual(most(middle) + FEW);
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThan(MAX_READS_OF_RESTART * Math.ceil(samples.length / API_SERVER_ROUNDS));
  expect(bytesOfEntry).toBeLessThan(MAX_BYTES_OF_ENTRY);
});
