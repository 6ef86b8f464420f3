/** Two replicas with one archive in PostgreSQL: both answer, whichever of them records. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RunningPostgres, startPostgres } from '../support/archive/postgres.ts';
import { type AuditStage, FLAGS, setAuditStage } from '../support/audit/stage.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const cluster = sharedCluster();
const TIMEOUT_MS = 120_000;

let postgres: RunningPostgres;
let stage: AuditStage;
let archiveUrl: string;

beforeAll(async () => {
  postgres = await startPostgres();
});
beforeEach(async () => {
  archiveUrl = await postgres.freshUrl();
  stage = await setAuditStage(cluster, await cluster.freshNamespace('audit-postgres'), archiveUrl);
});
afterEach(({ task }) => stage.clear(task.name));
afterAll(() => postgres?.stop());

const elected = { VEXIL_LEADER_ELECTION: 'true' };

type Replica = Awaited<ReturnType<AuditStage['start']>>;

/** Resolves with the replica that leads, and then the other one. On a busy machine the lease may have moved. */
function untilOneLeads(one: Replica, other: Replica): Promise<readonly [Replica, Replica]> {
  return waitUntil({ what: 'exactly one of them leads' }, async () => {
    const [oneLeads, otherLeads] = await Promise.all([one.leads(), other.leads()]);
    if (oneLeads === otherLeads) return undefined;
    return oneLeads ? ([one, other] as const) : ([other, one] as const);
  });
}

async function describeAll(text: string): Promise<void> {
  for (const name of FLAGS) await stage.patch(name, { description: text });
}

test('the leader is killed: the other replica continues recording, and answers with all entries', {
  timeout: TIMEOUT_MS,
}, async () => {
  const first = await stage.startRecording(elected);
  const second = await stage.start(elected);
  await describeAll('recorded by the first');
  const total = async ({ call }: Replica) =>
    (await call('GET /search/events?type=IS:feature-metadata-updated')).body.total;
  for (const replica of [first, second]) {
    await waitUntil({ what: 'both show it' }, async () => (await total(replica)) === FLAGS.length);
  }
  const [leader, other] = await untilOneLeads(first, second);
  await describeAll('on the way');
  leader.send('SIGKILL');
  await describeAll('while nobody leads');
  await waitUntil({ what: 'the other one leads' }, other.leads);
  const recorded = await stage.untilAllIsRecorded();
  await stage.untilAllIsPublished(recorded);
  expect([await total(other), recorded.length]).toEqual([3 * FLAGS.length, 3 * FLAGS.length]);
});

test('two leaders for a moment: one is paused with a batch in memory and resumed, and nothing is recorded twice', {
  timeout: TIMEOUT_MS,
}, async () => {
  const replicas = [await stage.startRecording(elected), await stage.start(elected)] as const;
  await describeAll('before');
  await stage.untilAllIsRecorded();
  const [first, second] = await untilOneLeads(...replicas);

  const unlock = await postgres.lock(archiveUrl, 'cursors');
  await describeAll('in its hands');
  const waiting = async () => (await first.metric('vexil_audit_waiting_changes')) >= FLAGS.length;
  await waitUntil({ what: 'all of it waits' }, waiting);
  first.send('SIGSTOP');
  await unlock();
  await waitUntil({ what: 'the other one leads' }, second.leads);
  await describeAll('while it sleeps');
  await waitUntil({ what: 'the other one has recorded', timeoutMs: 60_000 }, async () => {
    return (await stage.entries()).length === 3 * FLAGS.length;
  });
  first.send('SIGCONT');
  await describeAll('awake');
  await waitUntil({ what: 'the first one follows' }, async () => !(await first.leads()));
  const recorded = await stage.untilAllIsRecorded();
  await stage.untilAllIsPublished(recorded);
  expect([recorded.length, recorded.filter(({ coalesced }) => coalesced).length]).toEqual([4 * FLAGS.length, 0]);
  await untilOneLeads(first, second);
});

test('PostgreSQL is down for a while: changes work, the search answers 503, and all changes are recorded afterwards', {
  timeout: TIMEOUT_MS,
}, async () => {
  const replica = await stage.startRecording();
  await postgres.halt();
  const body = [{ op: 'replace', path: '/description', value: 'meanwhile' }];
  for (const name of FLAGS) {
    expect((await replica.call(`PATCH /projects/shop/features/${name}`, { body })).status).toBe(200);
  }
  const refused = await replica.call('GET /search/events');
  expect([refused.status, refused.body.name]).toEqual([503, 'UnavailableError']);
  expect(refused.body.message).toContain('Everything else works, and changes are recorded later');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await replica.readiness()).toMatchObject({ status: 200, body: { history: { ok: true } } });
  await postgres.resume();
  expect(await stage.untilAllIsRecorded()).toHaveLength(FLAGS.length);
});
