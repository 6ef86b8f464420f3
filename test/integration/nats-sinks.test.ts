/** A sink of the type NATS in the program that users run: a real stream gets the history. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aProject, aSink } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type NatsStreams, natsStreams } from '../support/nats-stream.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import { createSinkSecret } from '../support/sink-secret.ts';
import type { Stored } from '../support/stored.ts';
import { type NatsServer, startNatsServer } from '../support/tools/nats-server.ts';
import { untilRecording } from '../support/until-recording.ts';

const cluster = sharedCluster();
const PASSWORD = 'one two: three';
let home: string;
let replica: Replica;
let server: NatsServer;
let streams: NatsStreams;

beforeAll(async () => {
  server = await startNatsServer(`authorization { user: vexil, password: "${PASSWORD}" }`);
  streams = await natsStreams(server.url, ['vexil', PASSWORD]);
  await streams.add('changes', ['vexil.>']);
  home = await cluster.freshNamespace('nats-sinks');
  const settings = {
    VEXIL_SINK_ALLOWED_NETWORKS: '127.0.0.1',
    VEXIL_SINK_RETRY_MAX: '50ms',
    VEXIL_SINK_STATUS_INTERVAL: '100ms',
  };
  replica = await startReplica({ kubeconfig: await replicaKubeconfig(cluster, home), home, settings });
  await waitUntil({ what: 'the replica leads' }, replica.leads);
  await cluster.apply([aProject(`${home}/shop`), aFlag(`${home}/begun`)]);
  const flag = '/projects/shop/features/begun';
  await untilRecording(cluster, adminClient(replica.url), { flag, namespace: home });
  await createSinkSecret(cluster, { namespace: home, sink: 'bus', value: `vexil:${PASSWORD}\n` });
});
afterAll(async () => {
  await replica.stop();
  await streams.close();
  await server.stop();
});

const at = (name: string) => `/apis/vexil.dev/v1beta1/namespaces/${home}/notificationsinks/${name}`;
const statusOf = async (name: string) =>
  ((await cluster.request({ method: 'GET', path: at(name) })) as Stored).status as Stored;
const aSinkOfNats = (name: string, spec: object) => {
  const { spec: _, ...sink } = aSink(`${home}/${name}`);
  return { ...sink, spec: { type: 'NATS', url: server.url, ...spec } };
};
const describe = (...texts: readonly string[]) =>
  texts.reduce(
    (before, description) => before.then(() => cluster.apply([aFlag(`${home}/often`, { description })])),
    Promise.resolve(),
  );
const descriptions = async () =>
  (await streams.messages('changes')).flatMap(({ body, headers }) =>
    headers['ce-feature'] === 'often' ? [JSON.parse(body).data.description] : [],
  );

test('a stream gets entries once and in their order, also those of the time when the server was away', async () => {
  const spec = { subject: 'vexil', format: 'Binary', secretRef: { name: 'bus' } };
  await cluster.apply([aSinkOfNats('bus', spec)]);
  await waitUntil({ what: 'the sink is served' }, async () => (await streams.messages('changes')).length > 0);
  await describe('a', 'b');
  await expect.poll(descriptions).toEqual(['a', 'b']);
  const { body } = await adminClient(replica.url)('GET /search/events?feature=IS:often');
  const [last] = body.events;
  const uid = ((await cluster.request({ method: 'GET', path: at('bus') })) as Stored).metadata.uid;
  expect((await streams.messages('changes')).at(-1)).toMatchObject({
    subject: 'vexil.shop._',
    headers: {
      ...{ 'ce-id': String(last.id), 'ce-type': `dev.vexil.${last.type}`, 'ce-specversion': '1.0' },
      ...{ 'content-type': 'application/json', 'Nats-Msg-Id': `${uid}/${last.id}` },
    },
  });

  await server.halt();
  await describe('c', 'd');
  await expect
    .poll(() => statusOf('bus'))
    .toMatchObject({
      lastError: 'the connection failed (ECONNREFUSED)',
      conditions: [{ status: 'False' }, expect.anything()],
    });
  await server.resume();
  await streams.close();
  streams = await natsStreams(server.url, ['vexil', PASSWORD]);
  await expect.poll(descriptions).toEqual(['a', 'b', 'c', 'd']);
  await expect.poll(() => statusOf('bus')).toMatchObject({ lag: { entries: 0 }, conditions: [{ status: 'True' }] });
  expect(JSON.stringify(await statusOf('bus'))).not.toContain(PASSWORD);
  expect(replica.lines.join('\n')).not.toContain(PASSWORD);
});

test('without a stream for its subjects, a sink says so, and a test too', async () => {
  const annotations = { 'vexil.dev/test-request': 'one' };
  await createSinkSecret(cluster, { namespace: home, sink: 'lost', value: `vexil:${PASSWORD}` });
  const sink = aSinkOfNats('lost', { subject: 'nobody', secretRef: { name: 'lost' } });
  const metadata = { ...sink.metadata, annotations };
  await cluster.apply([{ ...sink, metadata }]);
  await describe('e');
  const message = 'no stream of JetStream takes the subject nobody';
  await expect
    .poll(() => statusOf('lost'))
    .toMatchObject({
      lastTest: { request: 'one', succeeded: false, message: `${message}._._` },
      lastError: expect.stringContaining(message),
      conditions: [{ type: 'Ready', status: 'False', reason: 'ReceiverFailing' }, expect.anything()],
    });
  await expect.poll(async () => (await descriptions()).at(-1)).toBe('e');
});
