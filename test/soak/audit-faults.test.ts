/** Under every fault, each change is recorded once, in order, with its author and the values before and after. */
import { rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seededRandom } from '../../src/model/seeded-random.ts';
import type { Call } from '../support/admin-client.ts';
import { writeMixed } from '../support/audit/mixed-writers.ts';
import { type AuditStage, FLAGS, setAuditStage } from '../support/audit/stage.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { refusal } from '../support/fault-proxy/faults.ts';
import { expectFired, on, timesFired } from '../support/fault-proxy/report.ts';

const cluster = sharedCluster();
const TIMEOUT_MS = 240_000;
/** `AUDIT_SEED=7` uses another plan. */
const SEED = Number(process.env['AUDIT_SEED'] ?? 1);
/** `AUDIT_CHANGES=1000` makes more changes between two kills. */
const CHANGES = Number(process.env['AUDIT_CHANGES'] ?? 400);

let stage: AuditStage;

beforeEach(async () => {
  stage = await setAuditStage(cluster, await cluster.freshNamespace('audit-faults'));
});
afterEach(({ task }) => stage.clear(task.name));

type Running = Awaited<ReturnType<AuditStage['start']>>;

/** Locks the archive as another program does. Returns the function that unlocks it. */
function lockArchive(): () => void {
  const database = new DatabaseSync(stage.archiveFile, { timeout: 5_000 });
  database.exec('begin immediate');
  return () => {
    database.exec('rollback');
    database.close();
  };
}

test(`${CHANGES} changes by the API, kubectl, server-side apply and deletions, with the leader killed ten times, Events refused for a while and the archive locked for a while`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const KILLS = 10;
  let replica: Running | undefined = await stage.startRecording();
  const random = seededRandom(SEED);
  const kills = new Set(
    Array.from({ length: KILLS }, (_, index) => Math.floor(((index + random()) * CHANGES) / KILLS)),
  );
  // The cache of the operator begins with a list, and its history where the archive ends.
  const resumptions = () => stage.proxy.reached.filter(on('featureflags', 'watch')).length;
  const kill = async () => {
    const victim = replica;
    replica = undefined;
    victim?.send('SIGKILL');
    expect(await victim?.ended).toEqual({ code: null, signal: 'SIGKILL' });
    const resumed = resumptions();
    replica = await stage.start();
    await waitUntil({ what: 'it goes on telling' }, () => resumptions() > resumed);
  };
  let restarting = Promise.resolve();
  let unlock = (): void => undefined;
  let accept = (): void => undefined;
  const refused = refusal(500);
  // While no leader runs, others may make all changes up to the end of the fault: then no Event has been refused yet.
  const untilRefused = () =>
    waitUntil({ what: 'an Event is refused', timeoutMs: 60_000 }, () => timesFired(stage.proxy, refused) > 0);
  const share = (percent: number) => (CHANGES * percent) / 100;
  const changeFaults = (made: number) => {
    if (made === share(35)) accept = stage.proxy.inject({ fault: refused, match: on('events', 'create') });
    if (made === share(60)) unlock = lockArchive();
    if (made === share(80)) unlock();
    return made === share(55) ? untilRefused().then(() => accept()) : undefined;
  };
  const onChange = (made: number) => {
    const accepted = changeFaults(made);
    if (!kills.has(made)) return accepted;
    restarting = restarting.then(kill);
    return accepted ?? restarting;
  };
  const { home: namespace, writer: transport } = stage;
  const call = (): Call | undefined => replica?.call;
  await writeMixed({ namespace, flags: FLAGS, transport, call, seed: SEED, changes: CHANGES, onChange });
  await restarting;

  const recorded = await stage.untilAllIsRecorded();
  await stage.untilAllIsPublished(recorded);
  expectFired(stage.proxy, refused);
  expect(resumptions()).toBeGreaterThanOrEqual(KILLS);
  expect(recorded.filter(({ coalesced }) => coalesced)).toEqual([]);
  const authors = Map.groupBy(recorded, stage.authorOf);
  const shares = [...authors].map(([by, { length }]) => `${by} ×${length}`).join(', ');
  process.stdout.write(`audit: ${recorded.length} entries; ${shares}\n`);
  expect([...authors.keys()].toSorted()).toEqual(['alice', 'bootstrap-token', 'unknown']);
});

test('a locked archive delays no change, is reported, and has all changes afterwards', {
  timeout: TIMEOUT_MS,
}, async () => {
  const replica = await stage.startRecording();
  const unlock = lockArchive();
  for (let turn = 0; turn < 20; turn += 1) {
    const body = [{ op: 'replace', path: '/description', value: `turn ${turn}` }];
    const { status } = await replica.call('PATCH /projects/shop/features/apple', { body });
    expect(status).toBe(200);
  }
  const failures = () => replica.metric('vexil_audit_failures_total{part="changes"}');
  await waitUntil({ what: 'it has noticed' }, async () => (await failures()) > 0);
  expect(await replica.metric('vexil_audit_waiting_changes')).toBeGreaterThanOrEqual(20);
  const waiting = () => replica.metric('vexil_audit_waiting_seconds');
  await waitUntil({ what: 'the oldest change has waited' }, async () => (await waiting()) > 1);
  expect(await replica.readiness()).toMatchObject({
    status: 200,
    body: { history: { ok: true, detail: expect.stringMatching(/^\d+ changes wait .*the archive does not answer$/) } },
  });
  // Earlier entries can be read while the archive is locked.
  expect((await replica.call('GET /search/events')).status).toBe(200);
  unlock();
  expect(await stage.untilAllIsRecorded()).toHaveLength(20);
  await waitUntil({ what: 'nothing waits' }, async () => (await replica.metric('vexil_audit_waiting_changes')) === 0);
});

test('refused Events delay neither changes nor the search, and are published when they are accepted again', {
  timeout: TIMEOUT_MS,
}, async () => {
  const replica = await stage.startRecording();
  let isOver = false;
  const match = on('events', 'create');
  stage.proxy.inject({ fault: refusal(429), match: (request) => !isOver && match(request) });
  for (const name of FLAGS) await stage.patch(name, { description: 'unpublished' });
  const recorded = await stage.untilAllIsRecorded();
  expect(recorded).toHaveLength(FLAGS.length);
  await waitUntil(
    { what: 'they wait' },
    async () => (await replica.metric('vexil_audit_waiting_events')) >= FLAGS.length,
  );
  await expect
    .poll(async () => (await replica.readiness()).body.history.detail)
    .toMatch(/5 Events wait; the API server does not take Events$/);
  isOver = true;
  await stage.untilAllIsPublished(recorded);
  await waitUntil({ what: 'none waits' }, async () => (await replica.metric('vexil_audit_waiting_events')) === 0);
});

test('a lost archive begins with the content of the Events, logs it, and continues', {
  timeout: TIMEOUT_MS,
}, async () => {
  const first = await stage.startRecording();
  await stage.create('lost', { description: 'ask ada@example.com' });
  for (const name of FLAGS) await stage.patch(name, { description: 'before the loss' });
  await stage.patch('apple', { stale: true });
  const recorded = await stage.untilAllIsRecorded();
  await stage.untilAllIsPublished(recorded);
  await first.stop();
  for (const suffix of ['', '-wal', '-shm']) await rm(`${stage.archiveFile}${suffix}`, { force: true });

  const second = await stage.start();
  // The entries come first. A change before the first list would become part of the baseline.
  await stage.untilBaseline();
  await waitUntil({ what: 'all is there again' }, async () => (await stage.entries()).length === recorded.length);
  expect(
    second.lines.some(
      (line) => line.includes('"entries":') && line.includes('audit archive: empty, restored entries from Events'),
    ),
  ).toBe(true);
  await stage.patch('birch', { description: 'after the loss' });
  const all = await waitUntil({ what: 'it goes on' }, async () => {
    const found = await stage.entries();
    return found.length > recorded.length && found;
  });
  const facts = ({ id: _, restored: __, ip: ___, ...entry }: (typeof all)[number]) => entry;
  const masked = JSON.parse(JSON.stringify(recorded.map(facts)).replaceAll('ada@example.com', 'a…@example.com'));
  const [restored, since] = [all.slice(0, recorded.length), all.slice(recorded.length)];
  expect(restored.map(facts).toSorted((a, b) => a.key.localeCompare(b.key))).toEqual(
    masked.toSorted((a: { key: string }, b: { key: string }) => a.key.localeCompare(b.key)),
  );
  expect(restored.every((entry) => entry.restored)).toBe(true);
  expect(since).toMatchObject([
    {
      type: 'feature-metadata-updated',
      featureName: 'birch',
      restored: false,
      coalesced: false,
      preData: { description: 'before the loss' },
      data: { description: 'after the loss' },
    },
  ]);
  expect((await second.call('GET /search/events?feature=IS:lost')).body.total).toBe(2);
});
