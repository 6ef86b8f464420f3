/** Traces of OpenTelemetry: a change from its request or its watch event to the readers, on two replicas. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aSink, aUser } from '../support/builders.ts';
import { changeTrace, spanNamed, traceWith } from '../support/change-trace.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type OpenedStream, openStream } from '../support/event-stream.ts';
import { startOperatorProgram } from '../support/operator-program.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import type { Stored } from '../support/stored.ts';
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const cluster = sharedCluster();
const SECRET = 'api-key=do-not-log-me';
const CALLER = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
let home: string;
let kubeconfig: string;
let receiver: TraceReceiver;
let leader: Replica;
let follower: Replica;
let stream: OpenedStream;
let webhook: WebhookReceiver;

beforeAll(async () => {
  home = await cluster.freshNamespace('tracing');
  kubeconfig = await replicaKubeconfig(cluster, home);
  receiver = await startTraceReceiver();
  webhook = await startReceiver();
  const settings = tracingTo(receiver.url);
  leader = await startReplica({ kubeconfig, home, settings });
  await waitUntil({ what: 'it leads' }, leader.leads);
  follower = await startReplica({ kubeconfig, home, settings });
  await waitUntil({ what: 'it is ready' }, follower.isReady);
  await cluster.apply([
    anEnvironment(`${home}/production`),
    aProject(`${home}/shop`),
    aSink(`${home}/changes`, { url: `${webhook.url}/changes`, filter: { types: ['feature-metadata-updated'] } }),
    aFlag(`${home}/checkout`, { environments: { production: { enabled: false, strategies: {} } } }),
  ]);
  await waitUntil({ what: 'the flag is judged' }, async () => (await flagStatus())?.observedGeneration === 1);
  stream = await openStream(follower.url, { path: '/api/admin/changes' });
});
afterAll(async () => {
  stream?.close();
  await Promise.all([leader?.stop(), follower?.stop()]);
  await Promise.all([receiver?.close(), webhook?.stop()]);
});

const tracingTo = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_HEADERS: SECRET,
  OTEL_BSP_SCHEDULE_DELAY: '100',
  OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  VEXIL_SINK_ALLOWED_NETWORKS: '127.0.0.1',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
});

const flag = (name: string): Promise<Stored> => cluster.getObject(`ff/${name}`, home);
const flagStatus = async () => (await flag('checkout')).status;

const reword = (name: string, description: string) =>
  cluster.patchObject(`ff/${name}`, home, { spec: { description } });

const STEPS = [
  ...['change FeatureFlag', 'reconcile FeatureFlag', 'PATCH featureflags/status', 'record', 'publish Event'],
  ...['POST events', 'send to watchers'],
];

test('one patch is one trace, from the watch to status, history, Event, sink and the readers of another replica', async () => {
  await reword('checkout', 'a first change');
  const spans = await changeTrace(receiver, { flag: 'checkout', generation: 2 }, [...STEPS, 'notify']);
  expect(spanNamed(spans, 'PATCH featureflags/status')).toMatchObject({
    parentSpanId: spanNamed(spans, 'reconcile FeatureFlag')?.spanId,
    attributes: { 'http.response.status_code': 200 },
  });
  expect(spanNamed(spans, 'send to watchers')?.attributes).toEqual({ 'vexil.streams': 1 });
  expect(new Set(receiver.resources.map((attributes) => attributes['deployment.environment.name']))).toEqual(
    new Set(['test']),
  );
});

test('a call of the API belongs to the trace of its caller, and the change has a link to it', async () => {
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  const body = { name: 'by-api' };
  const created = await adminClient(leader.url)('POST /projects/shop/features', { body, headers: { traceparent } });
  expect(created.status).toBe(201);
  const spans = await changeTrace(receiver, { flag: 'by-api', generation: 1 }, STEPS);
  const request = traceWith(receiver, ({ traceId }) => traceId === CALLER.traceId);
  const server = request.find(({ parentSpanId }) => parentSpanId === CALLER.spanId);
  expect(server).toMatchObject({
    name: 'POST /projects/:projectId/features',
    attributes: { 'http.response.status_code': 201 },
  });
  expect(spanNamed(request, 'POST featureflags')?.parentSpanId).toBe(server?.spanId);
  expect(spanNamed(spans, 'change FeatureFlag')?.links).toEqual([server?.spanId]);
});

test('a read is traced only in the trace of its caller', async () => {
  const read = async (path: string, traceId?: string) => {
    const headers = traceId === undefined ? {} : { traceparent: `00-${traceId}-${CALLER.spanId}-01` };
    expect((await adminClient(leader.url)(`GET ${path}`, { headers })).status).toBe(200);
  };
  const traceId = 'c'.repeat(32);
  await read('/projects');
  await read('/projects/shop/features', traceId);
  const named = (name: string) => receiver.spans.filter((span) => span.name === name);
  await expect
    .poll(() => named('GET /projects/:projectId/features'))
    .toMatchObject([{ traceId, parentSpanId: CALLER.spanId }]);
  expect(named('GET /projects')).toEqual([]);
});

test('the stamp with the trace is in no manifest, and the next change does not link to it', async () => {
  const key = 'vexil.dev/changed-trace';
  expect((await flag('by-api')).metadata.annotations[key]).toContain(CALLER.traceId);
  const manifest = await fetch(`${leader.url}/api/admin/projects/shop/features/by-api`, {
    headers: { accept: 'application/yaml' },
  });
  expect(await manifest.text()).not.toContain(key);
  await reword('by-api', 'a later change');
  const spans = await changeTrace(receiver, { flag: 'by-api', generation: 2 }, STEPS);
  expect(spanNamed(spans, 'change FeatureFlag')?.links).toEqual([]);
});

test('spans name no user, and logs no header of the collector', async () => {
  await cluster.apply([aUser(`${home}/kim-of-sales`, { username: 'kim-of-sales' })]);
  const isOfUser = ({ name }: ReceivedSpan) => name === 'change FlagUser';
  await waitUntil({ what: 'the change is traced' }, async () => receiver.spans.some(isOfUser));
  expect(JSON.stringify(receiver.spans)).not.toContain('kim-of-sales');
  expect(receiver.headers.map((headers) => headers['api-key'])).toContain('do-not-log-me');
  expect([...leader.lines, ...follower.lines].join('\n')).not.toContain('do-not-log-me');
});

describe('without a collector', () => {
  test('changes are made and recorded all the same, and one line says that spans are lost', async () => {
    const away = await startTraceReceiver();
    await away.close();
    const other = await startReplica({ kubeconfig, home, settings: tracingTo(away.url) });
    await waitUntil({ what: 'it is ready' }, other.isReady);
    const call = adminClient(other.url);
    expect(await call('POST /projects/shop/features/checkout/environments/production/off')).toMatchObject({
      status: 200,
    });
    const warnings = () => other.lines.filter((line) => line.includes('tracing: cannot send spans'));
    await waitUntil({ what: 'it says so' }, async () => warnings().length > 0);
    await other.stop();
    expect(warnings()).toHaveLength(1);
    expect(other.lines.join('\n')).not.toContain('do-not-log-me');
  });

  test('no module of OpenTelemetry, and none of NATS, is loaded: the program starts without their files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vexil-untraced-'));
    await cp(dirname(process.env['VEXIL_TEST_PROGRAM'] ?? ''), folder, { recursive: true });
    await rm(join(folder, 'main'), { recursive: true });
    await rm(join(folder, 'nats-publisher.js'));
    const settings = { KUBECONFIG: kubeconfig, VEXIL_NAMESPACE: home, VEXIL_HTTP_PORT: '0', VEXIL_OPS_PORT: '0' };
    const program = startOperatorProgram({
      program: join(folder, 'main.js'),
      settings: { ...settings, VEXIL_AUTH: 'none' },
    });
    await program.listening;
    expect((await program.stop()).code).toBe(0);
    await rm(folder, { recursive: true });
  });
});
