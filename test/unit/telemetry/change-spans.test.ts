/** The spans of a change on two replicas, of which one leads. */
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import type { AnyObject } from '../../../src/model/object.ts';
import { createChangeIds, createChangeSpans } from '../../../src/telemetry/open-telemetry/change-spans.ts';

function startReplica() {
  const exporter = new InMemorySpanExporter();
  const ids = createChangeIds();
  const provider = new BasicTracerProvider({ idGenerator: ids, spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const changes = createChangeSpans(provider.getTracer('test'), ids);
  return { ...changes, sent: () => exporter.getFinishedSpans() };
}

const aFlag = (resourceVersion: string, generation: number, observedGeneration?: number): AnyObject => ({
  metadata: {
    ...{ namespace: 'shop', name: 'checkout', uid: 'u', resourceVersion, generation },
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  ...{ spec: {}, rawSpec: {}, defects: [], owners: [], status: observedGeneration && { observedGeneration } },
});
const change = (before: AnyObject, after?: AnyObject) => ({
  ...{ kind: 'FeatureFlag', before, cause: undefined },
  ...(after && { after }),
});
const namesOf = (spans: readonly ReadableSpan[]) => spans.map(({ name }) => name);

test('replicas agree on the ids of a change, and the one that records it ends its trace', () => {
  const [leader, follower] = [startReplica(), startReplica()];
  for (const replica of [leader, follower]) replica.begin(change(aFlag('1', 1), aFlag('2', 2)));
  leader.recorded([{ uid: 'u', toVersion: '2' }]);
  follower.delivered('SDKs', { visited: 3, tookMs: 0, since: 0 });
  const [record, root] = leader.sent();
  const [delivery] = follower.sent();
  expect([namesOf(leader.sent()), namesOf(follower.sent())]).toEqual([
    ['record', 'change FeatureFlag'],
    ['send to SDKs'],
  ]);
  expect(root?.parentSpanContext).toBeUndefined();
  const { traceId, spanId } = root?.spanContext() ?? {};
  for (const part of [record, delivery]) expect(part?.parentSpanContext).toMatchObject({ traceId, spanId });
});

test('a trace ends also if the history has the change before the cache', () => {
  const replica = startReplica();
  replica.recorded([{ uid: 'u', toVersion: '2' }]);
  replica.begin(change(aFlag('1', 1), aFlag('2', 2)));
  expect(namesOf(replica.sent())).toEqual(['record', 'change FeatureFlag']);
});

test('a status is no change, and a deletion is one', () => {
  const replica = startReplica();
  replica.begin(change(aFlag('2', 2), aFlag('3', 2, 2)));
  replica.begin(change(aFlag('3', 2, 2)));
  // The version of a deletion is known to the watch alone.
  replica.recorded([{ uid: 'u', toVersion: '4' }]);
  expect(namesOf(replica.sent())).toEqual(['record', 'delete FeatureFlag']);
});

test('a reconcile belongs to the change until the change is judged', () => {
  const replica = startReplica();
  replica.begin(change(aFlag('1', 1, 1), aFlag('2', 2, 1)));
  expect(replica.contextOf(aFlag('2', 2, 1))).toBeDefined();
  expect(replica.contextOf(aFlag('3', 2, 2))).toBeUndefined();
  expect(replica.contextOf(aFlag('4', 3, 2))).toBeUndefined();
});

test('streams that were opened later, or that are not there, have not been sent a change', () => {
  const replica = startReplica();
  replica.begin(change(aFlag('1', 1), aFlag('2', 2)));
  replica.delivered('SDKs', { visited: 0, tookMs: 0, since: 0 });
  replica.delivered('watchers', { visited: 1, tookMs: 0, since: Date.now() + 60_000 });
  for (const streams of ['SDKs', 'watchers']) replica.delivered(streams, { visited: 1, tookMs: 0, since: 0 });
  expect(replica.sent()).toEqual([]);
});
