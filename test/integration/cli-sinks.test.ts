/** Notification sinks on the command line: a test event, and entries once more. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, aSink } from '../support/builders.ts';
import { vexil } from '../support/command-line.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecording } from '../support/until-recording.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let instance: Instance;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
  const settings = { VEXIL_SINK_ALLOWED_NETWORKS: '127.0.0.1', VEXIL_SINK_STATUS_INTERVAL: '50ms' };
  instance = await startInstance('cli-sinks', { settings });
  await instance.apply(aFlag(`${instance.home}/begun`));
  const flag = '/projects/shop/features/begun';
  await untilRecording(instance.cluster, instance.call, { flag, namespace: instance.home });
  const filter = { types: ['feature-created'], projects: ['shop'] };
  await instance.apply(aSink(`${instance.home}/changes`, { url: receiver.url, filter }));
});
afterAll(async () => {
  await instance.stop();
  await receiver.stop();
});

const sink = (...args: readonly string[]) =>
  vexil(['sink', ...args, '-n', instance.home], { environment: { KUBECONFIG: instance.cluster.kubeconfig } });

test('a test event is sent, and its answer reported', async () => {
  expect(await sink('test', 'changes')).toMatchObject({
    code: 0,
    stdout: 'The receiver of changes has taken the test event.\n',
  });
  expect(receiver.taken().at(-1)).toMatch(/^test-/);
  receiver.react = () => 403;
  const { code, stdout, stderr } = await sink('test', 'changes', '--output', 'json');
  expect([code, JSON.parse(stdout)]).toEqual([1, { sink: 'changes', succeeded: false, message: 'answered 403' }]);
  expect(stderr).toContain('has not taken the event: answered 403');
  receiver.react = () => 204;
});

test('a sink that does not exist is named', async () => {
  const { code, stderr } = await sink('test', 'nothing');
  expect([code, stderr]).toEqual([66, expect.stringContaining('there is no NotificationSink "nothing" in namespace')]);
});

test('a replay says what it would do, asks, and sends entries once more', async () => {
  await instance.apply(aFlag(`${instance.home}/again`));
  const times = () => receiver.received.filter(({ event }) => event.featureName === 'again').length;
  await expect.poll(times).toBe(1);
  const from = new Date(Date.now() - 3_600_000).toISOString();
  expect(await sink('replay', 'changes', '--from', from)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('nothing is sent again'),
  });
  const { code, stdout } = await sink('replay', 'changes', '--from', from, '--yes', '--server', instance.url);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/gets [1-9]\d* entries since .* once more/)]);
  await expect.poll(times).toBe(2);
});

test('a time without a zone is refused', async () => {
  const { code, stderr } = await sink('replay', 'changes', '--from', '2026-03-01T12:00:00');
  expect([code, stderr]).toEqual([64, expect.stringContaining('must be a time with a zone')]);
});
