/** Measurements of one contestant with a number of flags. */
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { flagName } from '../contents.ts';
import type { KeptClient } from '../kept-client.ts';
import type { Contestant, Running, StartParts } from './contestants.ts';
import { applyFlags, deleteFlags, NAMESPACES, stripStatuses } from './flags.ts';
import { type Footprint, footprintOf } from './footprint.ts';
import type { JudgedFlags } from './judged-flags.ts';
import { type Latency, whileAsking } from './latency.ts';
import { pollAfterChanges, readEnvironments } from './sdk-answers.ts';
import { whileChanging } from './single-changes.ts';

export interface Phase extends Footprint {
  readonly name: string;
  /** The time until the state in the name was reached. */
  readonly tookMs: number;
  /** The time from the start of the process until its caches were full. */
  readonly syncedMs?: number;
  /** The latencies of the admin API during the phase; empty if there is none. */
  readonly latencies: readonly (Latency & { readonly of: string })[];
}

type Measured = Pick<Phase, 'tookMs'> & Partial<Phase>;

export interface Scene {
  readonly admin: KeptClient;
  readonly judged: JudgedFlags;
  readonly start: StartParts;
  readonly count: number;
  readonly say: (line: string) => void;
  /** Receives each phase as soon as it is measured. */
  readonly report: (phase: Phase) => void;
}

/** Measures all phases, and deletes the flags at the end. */
export async function measurePhases(contestant: Contestant, scene: Scene): Promise<Phase[]> {
  const { admin, judged, count, say } = scene;
  const phases: Phase[] = [];
  const report = (measured: Phase) => {
    phases.push(measured);
    scene.report(measured);
  };
  const phase = async (name: string, measure: (running: Running) => Promise<Measured>) => {
    say(`${contestant.name}: ${name}`);
    const running = await contestant.start(scene.start);
    try {
      const measured = await measure(running);
      report({ name, latencies: [], ...(await footprintOf(running.pid)), ...measured });
    } finally {
      await running.stop();
    }
  };

  await phase(`start without flags, before ${count}`, async (running) => {
    await running.synced;
    const tookMs = performance.now() - running.startedAt;
    await quiet(running, say);
    return { tookMs };
  });

  await phase(`${count} flags applied, until all are Ready`, async (running) => {
    await running.synced;
    const startedAt = performance.now();
    await Promise.all([applyFlags(admin, count), judged.whenReady(count)]);
    return { tookMs: performance.now() - startedAt };
  });

  await phase(`start with ${count} statuses there, until it is ready`, async (running) => {
    let tookMs = 0;
    const synced = async () => {
      await running.synced;
      tookMs = performance.now() - running.startedAt;
    };
    const latencies = await asking(running, { of: 'GET /health', path: '/health' }, synced);
    await quiet(running, say);
    return { tookMs, latencies };
  });

  await phase('the same, then SDKs read each environment', async (running) => {
    await running.synced;
    await quiet(running, say);
    const { url } = running;
    if (url === undefined) return { tookMs: 0 };
    const startedAt = performance.now();
    let tookMs = 0;
    const reading = async () => {
      await readEnvironments(url);
      tookMs = performance.now() - startedAt;
    };
    const first = await asking(running, { of: 'GET /health', path: '/health' }, reading);
    const polls = { of: 'a poll after a change', ...(await pollAfterChanges(url, admin)) };
    await quiet(running, say);
    return { tookMs, latencies: [...first, polls] };
  });

  let changes: Latency | undefined;
  say(`taking ${count} statuses away`);
  await Promise.all([stripStatuses(admin, count), judged.whenUnjudged(count)]);
  await phase(`start without any of ${count} statuses, until all are Ready`, async (running) => {
    await running.synced;
    const syncedMs = performance.now() - running.startedAt;
    const path = `/api/admin/projects/${NAMESPACES[0]}/features/${flagName(0)}`;
    let tookMs = 0;
    const judgeAll = async () => {
      await judged.whenReady(count);
      tookMs = performance.now() - running.startedAt;
    };
    const changing = async () => {
      changes = await whileChanging(scene, judgeAll);
    };
    const latencies = await asking(running, { of: 'GET of one flag', path }, changing);
    return { tookMs, syncedMs, latencies: [...latencies, ...(changes ? [{ of: CHANGE, ...changes }] : [])] };
  });
  requireWithin(contestant, changes);

  say(`deleting ${count} flags`);
  await Promise.all([deleteFlags(admin), judged.whenReady(0)]);
  return phases;
}

const CHANGE = 'a change of one flag until it is judged';

/** A start must not delay the change of one flag. */
function requireWithin({ name, maxChangeMs }: Contestant, changes: Latency | undefined): void {
  if (maxChangeMs === undefined || (changes && changes.p99Ms <= maxChangeMs)) return;
  throw new Error(`${name}: ${CHANGE} took ${changes?.p99Ms.toFixed(0)} ms at p99, allowed are ${maxChangeMs} ms`);
}

async function asking({ url }: Running, what: { of: string; path: string }, work: () => Promise<void>) {
  if (url === undefined) {
    await work();
    return [];
  }
  return [{ of: what.of, ...(await whileAsking(`${url}${what.path}`, work)) }];
}

/** The limit for waiting. Events of thousands of new flags are published for many minutes in the background. */
const MAX_MS = 60_000;

/** Resolves when the process has had no work for a moment, or after a minute. */
async function quiet({ pid }: Running, say: Scene['say']): Promise<void> {
  const giveUpAt = performance.now() + MAX_MS;
  let before = Number.NEGATIVE_INFINITY;
  await waitUntil({ what: 'the process is at rest', timeoutMs: 2 * MAX_MS, everyMs: 500 }, async () => {
    const { cpuSeconds } = await footprintOf(pid);
    const isQuiet = cpuSeconds - before < 0.05;
    before = cpuSeconds;
    if (!isQuiet && performance.now() > giveUpAt) say('still at work after a minute, measured nevertheless');
    return isQuiet || performance.now() > giveUpAt;
  });
}
