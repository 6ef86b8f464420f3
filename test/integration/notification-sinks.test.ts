/** Sinks get the history of a real cluster: each entry at least once, in order, and only what they may carry. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { aFlag, aSink, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { readMetric } from '../support/read-metric.ts';
import { createSinkSecret } from '../support/sink-secret.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const KEY = `whsec_${Buffer.from('k'.repeat(32)).toString('base64')}`;

let instance: Instance;
let transport: Transport;
let receiver: WebhookReceiver;

const settings = {
  VEXIL_SINK_ALLOWED_NETWORKS: '127.0.0.1',
  VEXIL_SINK_RETRY_MAX: '50ms',
  VEXIL_SINK_TIMEOUT: '1s',
  VEXIL_SINK_STATUS_INTERVAL: '100ms',
};

beforeAll(async () => {
  receiver = await startReceiver();
  instance = await startInstance('sinks', { settings });
  transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
  await instance.apply(aFlag(`${instance.home}/begun`));
  const flag = '/projects/shop/features/begun';
  await untilRecording(instance.cluster, instance.call, { flag, namespace: instance.home });
});
afterEach(() => {
  receiver.react = () => 204;
});
afterAll(async () => {
  transport.close();
  await instance.stop();
  await receiver.stop();
});

const at = (place: string, plural = 'notificationsinks') => {
  const [namespace, name] = place.split('/');
  return `/apis/vexil.dev/v1beta1/namespaces/${namespace}/${plural}/${name}`;
};
const statusOf = async (place: string) =>
  ((await transport.request({ method: 'GET', path: at(place) })) as Stored).status as Stored;
const merge = (path: string, body: object) =>
  transport.request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
const sentTo = (path: string) => receiver.received.filter((one) => one.path === path);
const typesAt = (path: string, object: string) =>
  sentTo(path).flatMap(({ event, taken }) => (taken && event.featureName === object ? [event.type] : []));

/** Creates a sink that posts to a path of its name. */
async function sink(place: string, spec: Parameters<typeof aSink>[1] = {}): Promise<string> {
  const path = `/${place.split('/')[1]}`;
  await instance.apply(aSink(place, { url: `${receiver.url}${path}`, ...spec }));
  return path;
}

const aSinkOfSlack = (place: string, filter: object): Manifest => {
  const { metadata, ...sink } = aSink(place);
  return { ...sink, metadata, spec: { type: 'Slack', secretRef: { name: 'slack-url' }, filter } };
};

/** Creates a Secret that a sink may use. */
const secret = (name: string, parts: { readonly sink: string; readonly value: string }) =>
  createSinkSecret(instance.cluster, { namespace: instance.home, name, ...parts });

describe('a sink in the operator namespace', () => {
  test('gets each entry once while all goes well, as a CloudEvent with the id of the entry', async () => {
    const path = await sink(`${instance.home}/all`);
    await instance.apply(aFlag(`${instance.home}/seen`, { description: 'one' }));
    await instance.apply(aFlag(`${instance.home}/seen`, { description: 'two' }));
    await expect.poll(() => typesAt(path, 'seen')).toEqual(['feature-created', 'feature-metadata-updated']);
    const { body } = await instance.call('GET /search/events?feature=IS:seen');
    const ids = body.events.map(({ id }: Stored) => String(id)).toReversed();
    const sent = sentTo(path).filter(({ event }) => event.featureName === 'seen');
    expect(sent.map(({ id }) => id)).toEqual(ids);
    const [first] = sent;
    expect(first?.headers['content-type']).toContain('application/cloudevents+json');
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      ...{ specversion: '1.0', type: 'dev.vexil.feature-created', project: 'shop', feature: 'seen' },
      subject: `featureflags/${instance.home}/seen`,
      data: { type: 'feature-created', featureName: 'seen', project: 'shop' },
    });
    await expect
      .poll(() => statusOf(`${instance.home}/all`))
      .toMatchObject({ lag: { entries: 0, seconds: 0 }, lastDelivered: { id: expect.any(Number) } });
  });

  test('gets entries again that the receiver has not taken, in the order of each object', async () => {
    let calls = 0;
    receiver.react = (_, response) => {
      calls += 1;
      if (calls % 5 === 1) return 500;
      if (calls % 5 === 2) return 429;
      if (calls % 5 !== 3) return 204;
      response.writeHead(200, { 'content-length': '10' }).write('half');
      response.destroy();
      return undefined;
    };
    const path = await sink(`${instance.home}/unsteady`, { filter: { types: ['feature-metadata-updated'] } });
    for (const text of ['a', 'b', 'c', 'd']) {
      await instance.apply(aFlag(`${instance.home}/often`, { description: text }));
    }
    const texts = () =>
      sentTo(path).flatMap(({ event, taken }) =>
        taken && event.featureName === 'often' ? [event.data.description] : [],
      );
    await expect.poll(texts).toEqual(['b', 'c', 'd']);
  });

  test('signs as Standard Webhooks say, with a Secret that is labelled for it', async () => {
    const name = 'signing';
    const place = `${instance.home}/signed`;
    const hook = await sink(place, { format: 'Binary', secretRef: { name } });
    expect(await statusOf(place)).toMatchObject({ problems: [{ reason: 'SecretNotFound', path: 'spec.secretRef' }] });
    await secret(name, { sink: 'signed', value: KEY });
    await merge(at(place), { spec: { maxAge: '1h' } });
    await instance.apply(aFlag(`${instance.home}/to-sign`));
    await expect.poll(() => typesAt(hook, 'to-sign')).toEqual(['feature-created']);
    const sent = sentTo(hook).find(({ event }) => event.featureName === 'to-sign');
    expect(sent?.headers).toMatchObject({
      ...{ 'ce-type': 'dev.vexil.feature-created', 'ce-id': sent?.id, 'webhook-id': sent?.id },
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(JSON.stringify(await statusOf(place))).not.toContain(KEY);
  });

  test('ends with a receiver that answers 410, until the spec changes', async () => {
    const place = `${instance.home}/ended`;
    receiver.react = ({ path }) => (path === '/ended' ? 410 : 204);
    const path = await sink(place);
    const problems = async () => (await statusOf(place)).problems?.[0]?.reason;
    await waitUntil({ what: 'the receiver is gone' }, async () => (await problems()) === 'ReceiverGone');
    const before = sentTo(path).length;
    receiver.react = () => 204;
    await instance.apply(aFlag(`${instance.home}/unheard`));
    await expect.poll(() => typesAt('/all', 'unheard')).toEqual(['feature-created']);
    expect(sentTo(path)).toHaveLength(before);
    await merge(at(place), { spec: { maxAge: '1h' } });
    await expect.poll(() => typesAt(path, 'unheard')).toEqual(['feature-created']);
  });

  test('sets an entry aside that is refused again and again, and goes on', async () => {
    const place = `${instance.home}/picky`;
    receiver.react = ({ path, event }) => (path === '/picky' && event.featureName === 'poison' ? 422 : 204);
    const path = await sink(place);
    await instance.apply(aFlag(`${instance.home}/poison`), aFlag(`${instance.home}/harmless`));
    await expect.poll(() => typesAt(path, 'harmless')).toEqual(['feature-created']);
    await expect.poll(() => statusOf(place)).toMatchObject({ setAside: 1, lastSetAside: /422 5 times/ });
    expect(sentTo(path).filter(({ event }) => event.featureName === 'poison')).toHaveLength(5);
  });

  test('sends a test event and the entries since a time once more, when asked by annotations', async () => {
    const place = `${instance.home}/again`;
    await instance.apply(aFlag(`${instance.home}/earlier`));
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const path = await sink(place, { filter: { expression: 'event.featureName == "earlier"' } });
    await merge(at(place), { metadata: { annotations: { 'vexil.dev/test-request': 'one' } } });
    await expect.poll(() => sentTo(path).map(({ id }) => id)).toContain('test-one');
    await expect.poll(() => statusOf(place)).toMatchObject({ lastTest: { request: 'one', succeeded: true } });
    const before = sentTo(path).length;
    await merge(at(place), { metadata: { annotations: { 'vexil.dev/replay-from': `${since} a` } } });
    await expect.poll(() => sentTo(path).length).toBeGreaterThan(before);
    expect(typesAt(path, 'earlier')).toContain('feature-created');
  });
});

test('a status that says nothing new is not written', async () => {
  const place = `${instance.home}/quiet`;
  await sink(place, { filter: { types: ['user-created'] } });
  const reconciles = () =>
    readMetric(instance.opsUrl, 'vexil_reconcile_duration_seconds_count{kind="NotificationSink",result="success"}');
  await expect.poll(() => statusOf(place)).toMatchObject({ lag: { entries: 0, seconds: 0 } });
  const version = async () =>
    ((await transport.request({ method: 'GET', path: at(place) })) as Stored).metadata.resourceVersion;
  const [before, judged] = [await version(), await reconciles()];
  await expect.poll(reconciles).toBeGreaterThan(judged + 10);
  expect(await version()).toBe(before);
});

test('a sink of another namespace gets only entries of its projects, with masked addresses', async () => {
  const path = await sink(`${instance.other}/theirs`);
  const refused = `${instance.other}/plain`;
  await sink(refused, { emailAddresses: 'Plain' });
  expect(await statusOf(refused)).toMatchObject({ problems: [{ reason: 'AddressesMustBeMasked' }] });
  await instance.apply(
    aFlag(`${instance.home}/ours`),
    aFlag(`${instance.other}/paid`, { project: 'pay', description: 'ask ada@example.com' }),
  );
  await expect.poll(() => typesAt(path, 'paid')).toEqual(['feature-created']);
  expect(sentTo(path).map(({ event }) => event.project)).toEqual(sentTo(path).map(() => 'pay'));
  expect(sentTo(path).find(({ event }) => event.featureName === 'paid')?.event.data.description).toBe(
    'ask a…@example.com',
  );
});

test('many changes at once are one message in Slack, from a URL that only the Secret has', async () => {
  await secret('slack-url', { sink: 'slack', value: `${receiver.url}/services/T0/hidden` });
  const filter = { types: ['feature-created'] };
  const place = `${instance.home}/slack`;
  const sent = () => sentTo('/services/T0/hidden').map(({ body }) => JSON.parse(body).text as string);
  await instance.cluster.apply([aSinkOfSlack(place, filter)]);
  await instance.apply(...Array.from({ length: 12 }, (_, index) => aFlag(`${instance.home}/many-${index}`)));
  await expect.poll(() => sent().join()).toContain('changes of');
  const counted = sent().map((text) => Number(/^(\d+) changes of/.exec(text)?.[1] ?? 1));
  expect(counted.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(12);
  expect(counted.length).toBeLessThan(5);
  expect(JSON.stringify(await statusOf(place))).not.toContain('hidden');
});

test('a receiver that never answers delays no other sink', async () => {
  receiver.react = ({ path }) => (path === '/mute' ? undefined : 204);
  await sink(`${instance.home}/mute`);
  const path = await sink(`${instance.home}/quick`);
  await instance.apply(aFlag(`${instance.home}/prompt`));
  await expect.poll(() => typesAt(path, 'prompt')).toEqual(['feature-created']);
  await expect
    .poll(() => statusOf(`${instance.home}/mute`))
    .toMatchObject({
      lastError: 'no whole answer within 1 s',
      conditions: [{ type: 'Ready', status: 'False', reason: 'ReceiverFailing' }, expect.anything()],
    });
});
