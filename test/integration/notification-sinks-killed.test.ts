/** A leader that is killed again and again: the receiver gets every entry, in order, with few repetitions. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const cluster = sharedCluster();
const KILLS = 2;
const FLAGS = 4;
const ROUNDS = 12;
/** A crash repeats one page at most. Both kills together come after more entries than that. */
const PAGE = 20;

let home: string;
let kubeconfig: string;
let replica: Replica;
let receiver: WebhookReceiver;

beforeEach(async () => {
  home = await cluster.freshNamespace('sinks-killed');
  kubeconfig = await replicaKubeconfig(cluster, home);
  receiver = await startReceiver();
  replica = await start();
});
afterEach(async () => {
  await replica.stop();
  await receiver.stop();
});

async function start(): Promise<Replica> {
  const settings = {
    VEXIL_SINK_ALLOWED_NETWORKS: '127.0.0.1',
    VEXIL_SINK_RETRY_MAX: '50ms',
    VEXIL_SINK_STATUS_INTERVAL: '100ms',
  };
  const started = await startReplica({ kubeconfig, home, settings });
  await waitUntil({ what: 'the replica leads' }, started.leads);
  return started;
}

async function apply(kind: string, name: string, spec: object): Promise<void> {
  const object = { apiVersion: 'vexil.dev/v1beta1', kind, metadata: { name, namespace: home }, spec };
  await cluster.apply([object]);
}

async function entries(): Promise<readonly Stored[]> {
  const { body } = await adminClient(replica.url)('GET /search/events?limit=1000');
  return body.events.toSorted((a: Stored, b: Stored) => a.id - b.id);
}

test(`${KILLS} kills while ${FLAGS} flags change: what was delivered is the archive`, async () => {
  await apply('Project', 'shop', {});
  await apply('FeatureFlag', 'begun', { project: 'shop' });
  const flag = '/projects/shop/features/begun';
  await untilRecording(cluster, adminClient(replica.url), { flag, namespace: home });
  await apply('NotificationSink', 'all', { type: 'Webhook', url: `${receiver.url}/all` });
  await waitUntil({ what: 'the sink is served' }, async () => receiver.taken().length > 0);
  let calls = 0;
  // Some are answered badly, so that kills come in the middle of repetitions, too.
  receiver.react = () => {
    calls += 1;
    return calls % 7 === 0 ? 503 : 200;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let flag = 0; flag < FLAGS; flag += 1) {
      await apply('FeatureFlag', `flag-${flag}`, { project: 'shop', description: `round ${round}` });
    }
    if (round % (ROUNDS / KILLS) !== 4) continue;
    replica.send('SIGKILL');
    await replica.ended;
    replica = await start();
  }
  const isLast = ({ featureName, data }: Stored) =>
    featureName === `flag-${FLAGS - 1}` && data?.description === `round ${ROUNDS - 1}`;
  await waitUntil({ what: 'all is recorded' }, async () => (await entries()).some(isLast));
  const archived = (await entries()).map(({ id }) => String(id));
  const first = receiver.taken()[0] ?? '';
  const expected = archived.slice(archived.indexOf(first));
  await waitUntil({ what: 'all is delivered' }, async () => expected.every((id) => receiver.taken().includes(id)));

  const taken = receiver.received.filter((one) => one.taken);
  expect([...new Set(taken.map(({ id }) => id))].toSorted((a, b) => Number(a) - Number(b))).toEqual(expected);
  expect(taken.length - expected.length).toBeLessThanOrEqual(KILLS * PAGE);
  for (const one of Map.groupBy(taken, ({ event }) => event.featureName).values()) {
    const firsts = [...new Set(one.map(({ id }) => Number(id)))];
    expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
  }
});
