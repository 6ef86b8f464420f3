/** The traces of changes, also of those that the sampler does not keep. */
import { TraceFlags, trace } from '@opentelemetry/api';
import { AlwaysOffSampler, AlwaysOnSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { createChangeIds, createChangeSpans } from '../../../src/telemetry/open-telemetry/change-spans.ts';
import { flagObject } from '../domain/objects.ts';

const observed = (observedGeneration: number) =>
  flagObject('shop/checkout', {}, { generation: 2, status: { observedGeneration } });
const changed = observed(1);
const judged = observed(2);

test.each([
  ['is kept', new AlwaysOnSampler(), TraceFlags.SAMPLED],
  ['is not kept', new AlwaysOffSampler(), TraceFlags.NONE],
])('the first reconcile of a change that %s belongs to it, and no later one', (_, sampler, traceFlags) => {
  const ids = createChangeIds();
  const tracer = new BasicTracerProvider({ sampler, idGenerator: ids }).getTracer('test');
  const spans = createChangeSpans(tracer, ids);
  spans.begin({ kind: 'FeatureFlag', after: changed, cause: undefined });
  const context = spans.contextOf(changed);
  expect(context && trace.getSpanContext(context)).toMatchObject({ traceFlags });
  expect(spans.contextOf(judged)).toBeUndefined();
});
