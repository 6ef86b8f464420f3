/**
 * Sinks under pressure: a receiver that fails in every way while leaders are killed, one that is away, and signatures
 * that a library in another language verifies.
 */
import { stdout } from 'node:process';
import pLimit from 'p-limit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { seededRandom } from '../../src/model/seeded-random.ts';
import { adminClient } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import { verifyInPython } from '../support/sdk-programs.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';
import { type React, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const cluster = sharedCluster();
/** `SINK_SECONDS=600` runs it for ten minutes. */
const SECONDS = Number(process.env['SINK_SECONDS'] ?? 60);
/** What a sink that is away for an hour misses is 72,000 at 20 changes a second; the loop holds 20 of them. */
const BACKLOG = Number(process.env['SINK_BACKLOG'] ?? 1_000);
const KILLS = 5;
const EVERY_MS = 50;
const FLAGS = 20;
/** A crash repeats one page at most. */
const PAGE = 20;
const KEY = `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`;

let home: string;
let kubeconfig: string;
let replica: Replica;
let receiver: WebhookReceiver;
let transport: Transport;

beforeEach(async () => {
  home = await cluster.freshNamespace('sinks-soak');
  kubeconfig = await replicaKubeconfig(cluster, home);
  transport = connect(loadKubeConfig(cluster.kubeconfig));
  receiver = await startReceiver();
  replica = await start();
  await apply('Project', 'shop', {});
  await apply('FeatureFlag', 'begun', { project: 'shop' });
  const flag = '/projects/shop/features/begun';
  await untilRecording(cluster, adminClient(replica.url), { flag, namespace: home });
});
afterEach(async () => {
  await replica.stop();
  await receiver.stop();
  transport.close();
});

async function start(): Promise<Replica> {
  const settings = {
    VEXIL_SINK_ALLOWED_NETWORKS: '127.0.0.1',
    VEXIL_SINK_RETRY_MAX: '500ms',
    VEXIL_SINK_TIMEOUT: '1s',
    VEXIL_AUDIT_RETENTION: 'off',
  };
  const started = await startReplica({ kubeconfig, home, settings });
  await waitUntil({ what: 'the replica leads', timeoutMs: 60_000 }, started.leads);
  return started;
}

async function apply(kind: string, name: string, spec: object): Promise<void> {
  await cluster.apply([{ ...{ apiVersion: 'vexil.dev/v1beta1', kind, spec }, metadata: { name, namespace: home } }]);
}

const describeFlag = (name: string, description: string) =>
  transport.request({
    method: 'PATCH',
    path: `/apis/vexil.dev/v1beta1/namespaces/${home}/featureflags/${name}`,
    contentType: 'application/merge-patch+json',
    body: { spec: { description } },
  });

/** Each change a fixed time after the one before, or as soon as the API server can; calls back with its number. */
async function change(
  isEnough: (number: number) => boolean,
  onChange: (number: number) => unknown = () => undefined,
): Promise<number> {
  for (let number = 0; ; number += 1) {
    if (isEnough(number)) return number;
    const next = performance.now() + EVERY_MS;
    await describeFlag(`flag-${number % FLAGS}`, `change ${number}`);
    await onChange(number);
    await waitUntil({ what: 'the next change is due', everyMs: 5 }, async () => performance.now() >= next);
  }
}

const percentile = (sorted: readonly number[], part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;

const erratic =
  (random: () => number): React =>
  (_, response) => {
    const dice = random();
    if (dice < 0.1) return 500;
    if (dice < 0.15) return 429;
    if (dice < 0.17) return undefined;
    if (dice >= 0.25) return 204;
    if (dice >= 0.21) response.writeHead(200, { 'content-length': '9' }).write('half');
    response.destroy();
    return undefined;
  };

test(`${SECONDS} s with a receiver that dies, hangs, refuses and answers half, and ${KILLS} kills`, {
  timeout: (2 * SECONDS + 300) * 1000,
}, async () => {
  for (let flag = 0; flag < FLAGS; flag += 1) await apply('FeatureFlag', `flag-${flag}`, { project: 'shop' });
  await apply('NotificationSink', 'all', { type: 'Webhook', url: `${receiver.url}/all` });
  await waitUntil({ what: 'the sink is served' }, async () => receiver.taken().length > 0);
  receiver.react = erratic(seededRandom(45));
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / (SECONDS * 1000);
  let kills = 0;
  let restarting = Promise.resolve();
  const changes = await change(
    () => elapsed() >= 1,
    () => {
      if (elapsed() < (kills + 0.5) / KILLS) return;
      kills += 1;
      restarting = restarting.then(async () => {
        replica.send('SIGKILL');
        await replica.ended;
        replica = await start();
      });
    },
  );
  await restarting;
  const archived = async () => {
    const response = await fetch(`${replica.url}/api/admin/search/events/export`);
    const entries = (await response.text())
      .trim()
      .split('\n')
      .map((line): Stored => JSON.parse(line));
    return entries.toSorted((a, b) => a.id - b.id);
  };
  const last = `change ${changes - 1}`;
  const isLast = ({ data }: Stored) => data?.description === last;
  await waitUntil({ what: 'all is recorded', timeoutMs: 120_000, everyMs: 2_000 }, async () =>
    (await archived()).some(isLast),
  );
  const ids = (await archived()).map(({ id }) => String(id));
  const expected = ids.slice(ids.indexOf(receiver.taken()[0] ?? ''));
  await waitUntil({ what: 'all is delivered', timeoutMs: 120_000 + SECONDS * 1000, everyMs: 1_000 }, async () => {
    const taken = new Set(receiver.taken());
    return expected.every((id) => taken.has(id));
  });

  const taken = receiver.received.filter((one) => one.taken);
  expect([...new Set(taken.map(({ id }) => Number(id)))].toSorted((a, b) => a - b)).toEqual(expected.map(Number));
  const repeated = taken.length - expected.length;
  expect(kills).toBe(KILLS);
  stdout.write(
    `${changes} changes, ${kills} kills, ${expected.length} entries, ${receiver.received.length} requests, ${repeated} taken more than once\n`,
  );
  expect(repeated).toBeLessThanOrEqual(KILLS * PAGE);
  for (const one of Map.groupBy(taken, ({ event }) => event.featureName).values()) {
    const firsts = [...new Set(one.map(({ id }) => Number(id)))];
    expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
  }
});

test('a sink whose receiver hangs, and one whose receiver is not there, delay no other', {
  timeout: 180_000,
}, async () => {
  for (let flag = 0; flag < FLAGS; flag += 1) await apply('FeatureFlag', `flag-${flag}`, { project: 'shop' });
  receiver.react = ({ path }) => (path === '/hangs' ? undefined : 204);
  await apply('NotificationSink', 'hangs', { type: 'Webhook', url: `${receiver.url}/hangs` });
  await apply('NotificationSink', 'away', { type: 'Webhook', url: 'http://127.0.0.1:9/' });
  await apply('NotificationSink', 'well', { type: 'Webhook', url: `${receiver.url}/well` });
  await waitUntil({ what: 'the sink is served' }, async () => receiver.received.some(({ path }) => path === '/well'));
  const madeAt = new Map<string, number>();
  const changes = 400;
  await change(
    (number) => number === changes,
    (number) => madeAt.set(`change ${number}`, Date.now()),
  );
  const arrived = () =>
    receiver.received.filter(({ path, event }) => path === '/well' && madeAt.has(event.data?.description));
  await waitUntil({ what: 'all is delivered', timeoutMs: 30_000 }, async () => arrived().length >= changes);
  const delays = arrived()
    .map(({ at, event }) => at - (madeAt.get(event.data.description) ?? 0))
    .toSorted((a, b) => a - b);
  stdout.write(`change to receiver: p50 ${percentile(delays, 0.5)} ms, p99 ${percentile(delays, 0.99)} ms\n`);
  expect(percentile(delays, 0.99)).toBeLessThanOrEqual(2_000);
});

test(`a sink that was away for ${BACKLOG} entries, an hour in short, delays no other while it is away and while it catches up`, {
  timeout: 600_000,
}, async () => {
  for (let flag = 0; flag < FLAGS; flag += 1) await apply('FeatureFlag', `flag-${flag}`, { project: 'shop' });
  let isAway = true;
  receiver.react = ({ path }) => (path === '/away' && isAway ? 503 : 204);
  await apply('NotificationSink', 'away', { type: 'Webhook', url: `${receiver.url}/away` });
  await apply('NotificationSink', 'well', { type: 'Webhook', url: `${receiver.url}/well` });
  const numbers = Array.from({ length: BACKLOG }, (_, index) => index);
  const limit = pLimit(FLAGS);
  await Promise.all(numbers.map((number) => limit(describeFlag, `flag-${number % FLAGS}`, `before ${number}`)));
  const takenBy = (path: string, word: string) =>
    receiver.received.filter(
      (one) => one.taken && one.path === path && String(one.event.data?.description).startsWith(word),
    );
  const all = { timeoutMs: 300_000, everyMs: 500 };
  await waitUntil(
    { what: 'the other is up to date', ...all },
    async () => takenBy('/well', 'before').length >= BACKLOG,
  );

  const madeAt = new Map<string, number>();
  const changes = 400;
  await change(
    (number) => number === changes,
    (number) => {
      madeAt.set(`change ${number}`, Date.now());
      isAway = number < changes / 2;
    },
  );
  await waitUntil({ what: 'it has caught up', ...all }, async () => takenBy('/away', 'change').length >= changes);
  expect(takenBy('/away', 'before')).toHaveLength(BACKLOG);
  const delays = takenBy('/well', 'change')
    .map(({ at, event }) => at - (madeAt.get(event.data.description) ?? 0))
    .toSorted((a, b) => a - b);
  expect(delays).toHaveLength(changes);
  stdout.write(`beside it: p50 ${percentile(delays, 0.5)} ms, p99 ${percentile(delays, 0.99)} ms\n`);
  expect(percentile(delays, 0.99)).toBeLessThanOrEqual(2_000);
});

test('the library of Standard Webhooks for Python verifies what is sent, and nothing else', {
  timeout: 180_000,
}, async () => {
  const metadata = { namespace: home, name: 'key', labels: { 'vexil.dev/notification-sink': 'signed' } };
  const secret = { ...{ apiVersion: 'v1', kind: 'Secret', metadata }, stringData: { secret: KEY } };
  await transport.request({ method: 'POST', path: `/api/v1/namespaces/${home}/secrets`, body: secret });
  for (const format of ['Binary', 'Structured']) {
    await apply('NotificationSink', 'signed', {
      ...{ type: 'Webhook', url: `${receiver.url}/${format}`, format, secretRef: { name: 'key' } },
    });
    await apply('FeatureFlag', `for-${format.toLowerCase()}`, { project: 'shop', description: 'ü "quoted"' });
    await waitUntil({ what: 'it is sent' }, async () =>
      receiver.received.some(({ path, event }) => path === `/${format}` && event.data?.description === 'ü "quoted"'),
    );
  }
  const sent = receiver.received.map(({ body, headers }) => ({ key: KEY, body, headers }));
  const said = await verifyInPython([...sent, ...sent.map((one) => ({ ...one, body: `${one.body} ` }))]);
  expect(said).toEqual([...sent.map(() => 'valid'), ...sent.map(() => 'WebhookVerificationError')]);
});
