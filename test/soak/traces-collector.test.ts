/** Traces of changes as a real OpenTelemetry Collector reads them, by the protocol that is the default. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aProject, aSink } from '../support/builders.ts';
import { changeTrace, spanNamed, traceWith } from '../support/change-trace.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import { type OtelCollector, startOtelCollector } from '../support/tools/otel-collector.ts';
import { startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.ts';
import { untilRecording } from '../support/until-recording.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const STEPS = ['reconcile FeatureFlag', 'PATCH featureflags/status', 'record', 'publish Event', 'notify'];
const cluster = sharedCluster();
let home: string;
let behind: TraceReceiver;
let collector: OtelCollector;
let webhook: WebhookReceiver;
let replica: Replica;

// A collector is built once, which takes minutes.
beforeAll(async () => {
  [behind, webhook] = await Promise.all([startTraceReceiver(), startReceiver()]);
  collector = await startOtelCollector(behind.url);
  home = await cluster.freshNamespace('collector');
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, VEXIL_SINK_ALLOWED_NETWORKS: '127.0.0.1' };
  replica = await startReplica({ kubeconfig: await replicaKubeconfig(cluster, home), home, settings });
  await waitUntil({ what: 'it leads' }, replica.leads);
  await cluster.apply([aProject(`${home}/shop`), aFlag(`${home}/begun`)]);
  const flag = '/projects/shop/features/begun';
  await untilRecording(cluster, adminClient(replica.url), { flag, namespace: home });
  await cluster.apply([aSink(`${home}/changes`, { url: webhook.url }), aFlag(`${home}/checkout`)]);
}, 1_200_000);
afterAll(async () => {
  await replica?.stop();
  await Promise.all([collector?.stop(), webhook?.stop()]);
  await behind?.close();
});

test('one kubectl patch is one trace of at least five spans', async () => {
  const change = JSON.stringify({ spec: { description: 'by kubectl' } });
  await cluster.kubectlOrThrow(['patch', 'featureflag', 'checkout', '-n', home, '--type=merge', '-p', change]);
  const spans = await changeTrace(behind, { flag: 'checkout', generation: 2 }, STEPS);
  expect(spans.length).toBeGreaterThanOrEqual(5);
  expect(behind.resources).toContainEqual(expect.objectContaining({ 'service.name': 'vexil' }));
});

test('the change that a request has made has a link to it', async () => {
  const body = { name: 'by-api' };
  expect((await adminClient(replica.url)('POST /projects/shop/features', { body })).status).toBe(201);
  const spans = await changeTrace(behind, { flag: 'by-api', generation: 1 }, STEPS);
  const isRequest = ({ name }: { readonly name: string }) => name === 'POST /projects/:projectId/features';
  await expect.poll(() => traceWith(behind, isRequest).length).toBeGreaterThan(0);
  const request = traceWith(behind, isRequest).find(isRequest);
  expect(spanNamed(spans, 'change FeatureFlag')?.links).toEqual([request?.spanId]);
  expect(request?.traceId).not.toBe(spans[0]?.traceId);
});
