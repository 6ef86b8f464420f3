/**
 * Sinks under pressure: receivers that fail in every way while leaders are killed, others that are away, and signatures
 * that a library in another language verifies.
 */
import { stdout } from 'node:process';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { seededRandom } from '../../src/model/seeded-random.ts';
import { adminClient } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { natsStreams } from '../support/nats-stream.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import { verifyInPython } from '../support/sdk-programs.ts';
import type { Stored } from '../support/stored.ts';
import { startNatsServer } from '../support/tools/nats-server.ts';
import { untilRecording } from '../support/until-recording.ts';
import { type React, type Received, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const cluster = sharedCluster();
/** `SINK_SECONDS=600` runs it for ten minutes. */
const SECONDS = Number(process.env['SINK_SECONDS'] ?? 20);
/** What a sink that is away for an hour misses is 72,000 at 20 changes a second; the loop holds 20 of them. */
const BACKLOG = Number(process.env['SINK_BACKLOG'] ?? 500);
/** The changes whose way to the receiver is timed, and how many of them may be on their way: what a second has. */
const TIMED = 200;
const ON_THEIR_WAY = 20;
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

interface Changes {
  /** The descriptions are this word with the number of the change. */
  readonly word: string;
  readonly isEnough: (number: number) => boolean;
  readonly onChange: (number: number) => unknown;
}

/** Each change a fixed time after the one before, or as soon as the API server can. Returns how many there were. */
async function change({ word, isEnough, onChange }: Changes): Promise<number> {
  for (let number = 0; ; number += 1) {
    if (isEnough(number)) return number;
    const next = performance.now() + EVERY_MS;
    await describeFlag(`flag-${number % FLAGS}`, `${word} ${number}`);
    await onChange(number);
    await waitUntil({ what: 'the next change is due', everyMs: 5 }, async () => performance.now() >= next);
  }
}

const percentile = (sorted: readonly number[], part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;

/** What a path has taken of these changes. A sink may repeat entries: the first time counts. */
function takenAt(path: string, word: string): readonly Received[] {
  const firsts = new Map<string, Received>();
  for (const one of receiver.received) {
    const isWanted = one.taken && one.path === path && String(one.event.data?.description).startsWith(`${word} `);
    if (isWanted && !firsts.has(one.id)) firsts.set(one.id, one);
  }
  return [...firsts.values()];
}

/** Resolves when the path has taken so many of these changes. */
const untilTaken = (path: string, word: string, count: number) =>
  waitUntil({ what: `${path} has ${count} of "${word}"`, timeoutMs: 300_000 }, async () => {
    return takenAt(path, word).length >= count;
  });

/** Makes changes, and writes how long they took to arrive. Returns the percentile 99, in ms. */
async function slowestOf(word: string, onChange: (number: number) => unknown = () => undefined): Promise<number> {
  const madeAt = new Map<string, number>();
  await change({
    word,
    isEnough: (number) => number === TIMED,
    onChange(number) {
      madeAt.set(`${word} ${number}`, Date.now());
      onChange(number);
      // More than the machine can record would measure a queue.
      return untilTaken('/well', word, number - ON_THEIR_WAY);
    },
  });
  await untilTaken('/well', word, TIMED);
  const delays = takenAt('/well', word)
    .map(({ at, event }) => at - (madeAt.get(event.data.description) ?? 0))
    .toSorted((a, b) => a - b);
  const slowest = percentile(delays, 0.99);
  stdout.write(`change to receiver, ${word}: p50 ${percentile(delays, 0.5)} ms, p99 ${slowest} ms\n`);
  return slowest;
}

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

interface Taken {
  /** Of the entry. */
  readonly id: number;
  readonly flag: string;
}

/** Where a sink delivers to. */
interface Target {
  /** Of the sink. */
  readonly spec: object;
  /** How often it may have an entry more than once. */
  readonly maxRepeated: number;
  /** In the order of their arrival. */
  taken(): Promise<readonly Taken[]>;
  /** Makes it fail. `round`: how many kills are behind, with the part of the time to the next one. */
  hinder(round: number): void;
  /** Lets it take entries again. */
  relent(): Promise<void>;
}

async function erraticWebhook(): Promise<Target> {
  const react = erratic(seededRandom(45));
  return {
    spec: { type: 'Webhook', url: `${receiver.url}/all` },
    maxRepeated: KILLS * PAGE,
    taken: async () =>
      receiver.received.flatMap(({ id, event, taken }) => (taken ? [{ id: Number(id), flag: event.featureName }] : [])),
    hinder() {
      receiver.react = react;
    },
    relent: async () => undefined,
  };
}

/** Away for a fifth of the time, at another time than the leader. The stream drops repetitions. */
async function killedNats(): Promise<Target> {
  const server = await startNatsServer();
  onTestFinished(server.stop);
  const withStreams = async <T>(use: (streams: Awaited<ReturnType<typeof natsStreams>>) => Promise<T>) => {
    const streams = await natsStreams(server.url);
    return use(streams).finally(() => streams.close());
  };
  await withStreams((streams) => streams.add('changes', ['vexil.>']));
  let isAway = false;
  let moving = Promise.resolve();
  const move = (away: boolean) => {
    if (away === isAway) return;
    isAway = away;
    moving = moving.then(away ? server.halt : server.resume);
  };
  return {
    spec: { type: 'NATS', url: server.url, subject: 'vexil' },
    maxRepeated: 0,
    taken: () =>
      withStreams(async (streams) =>
        (await streams.messages('changes')).map(({ body }) => {
          const { id, feature } = JSON.parse(body);
          return { id: Number(id), flag: feature };
        }),
      ),
    hinder: (round) => move(round % 1 >= 0.1 && round % 1 < 0.3),
    relent() {
      move(false);
      return moving;
    },
  };
}

/** Makes changes for the time of the test, and kills the leader now and then. Returns how many changes there were. */
async function changeWhileKilling(target: Target): Promise<number> {
  const begun = performance.now();
  const round = () => ((performance.now() - begun) / (SECONDS * 1000)) * KILLS;
  let kills = 0;
  let restarting = Promise.resolve();
  const changes = await change({
    word: 'change',
    isEnough: () => round() >= KILLS,
    onChange() {
      target.hinder(round());
      if (round() < kills + 0.5) return;
      kills += 1;
      restarting = restarting.then(async () => {
        replica.send('SIGKILL');
        await replica.ended;
        replica = await start();
      });
    },
  });
  await Promise.all([restarting, target.relent()]);
  expect(kills).toBe(KILLS);
  return changes;
}

/** The ids of all entries, once a change with this description is among them. */
async function archivedTo(description: string): Promise<readonly number[]> {
  return waitUntil({ what: 'all is recorded', timeoutMs: 120_000, everyMs: 2_000 }, async () => {
    const response = await fetch(`${replica.url}/api/admin/search/events/export`);
    const entries = (await response.text())
      .trim()
      .split('\n')
      .map((line): Stored => JSON.parse(line));
    if (!entries.some(({ data }) => data?.description === description)) return undefined;
    return entries.map(({ id }) => id).toSorted((a, b) => a - b);
  });
}

test.each([
  ['a receiver that dies, hangs, refuses and answers half', erraticWebhook],
  ['a NATS server that is killed', killedNats],
])(
  `${SECONDS} s with %s, and ${KILLS} kills of the leader`,
  { timeout: (2 * SECONDS + 300) * 1000 },
  async (_, open) => {
    for (let flag = 0; flag < FLAGS; flag += 1) await apply('FeatureFlag', `flag-${flag}`, { project: 'shop' });
    const target = await open();
    await apply('NotificationSink', 'all', target.spec);
    await waitUntil({ what: 'the sink is served' }, async () => (await target.taken()).length > 0);
    const changes = await changeWhileKilling(target);
    const archived = await archivedTo(`change ${changes - 1}`);
    const isAll = async () => {
      const taken = new Set((await target.taken()).map(({ id }) => id));
      const first = Math.min(...taken);
      return archived.every((id) => id < first || taken.has(id));
    };
    const delivery = { what: 'all is delivered', timeoutMs: 120_000 + SECONDS * 1000, everyMs: 2_000 };
    await waitUntil(delivery, isAll);

    const taken = await target.taken();
    const ids = [...new Set(taken.map(({ id }) => id))].toSorted((a, b) => a - b);
    const repeated = taken.length - ids.length;
    stdout.write(`${changes} changes, ${KILLS} kills, ${ids.length} entries, ${repeated} taken more than once\n`);
    expect(ids).toEqual(archived.slice(archived.indexOf(ids[0] ?? 0)));
    expect(repeated).toBeLessThanOrEqual(target.maxRepeated);
    for (const one of Map.groupBy(taken, ({ flag }) => flag).values()) {
      const firsts = [...new Set(one.map(({ id }) => id))];
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    }
  },
);

test('receivers that hang, are not there, or come back after an hour delay no other', {
  timeout: 1_200_000,
}, async () => {
  const flags = Array.from({ length: FLAGS }, (_, index) => `flag-${index}`);
  for (const flag of flags) await apply('FeatureFlag', flag, { project: 'shop' });
  let isAway = true;
  receiver.react = ({ path }) => {
    if (path === '/hangs') return undefined;
    return path === '/away' && isAway ? 503 : 204;
  };
  await apply('NotificationSink', 'well', { type: 'Webhook', url: `${receiver.url}/well` });
  await waitUntil({ what: 'the sink is served' }, async () => receiver.received.length > 0);
  // A machine that does much else is slow without other sinks, too.
  const bound = Math.max(2_000, 3 * (await slowestOf('alone')));

  await apply('NotificationSink', 'hangs', { type: 'Webhook', url: `${receiver.url}/hangs` });
  await apply('NotificationSink', 'nowhere', { type: 'Webhook', url: 'http://127.0.0.1:9/' });
  await apply('NotificationSink', 'away', { type: 'Webhook', url: `${receiver.url}/away` });
  expect(await slowestOf('beside')).toBeLessThanOrEqual(bound);

  const describeOften = async (flag: string) => {
    for (let number = 0; number < BACKLOG / FLAGS; number += 1) await describeFlag(flag, `backlog ${number}`);
  };
  await Promise.all(flags.map(describeOften));
  await untilTaken('/well', 'backlog', BACKLOG);
  expect(takenAt('/away', 'backlog')).toEqual([]);
  const slowest = await slowestOf('catching-up', (number) => {
    isAway = number < TIMED / 4;
  });
  await untilTaken('/away', 'backlog', BACKLOG);
  await untilTaken('/away', 'catching-up', TIMED);
  expect(slowest).toBeLessThanOrEqual(bound);
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
