/** When traces are wanted, and which ones are kept. */
import { ROOT_CONTEXT, SpanKind, TraceFlags } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { samplerOf } from '../../../src/telemetry/open-telemetry/sampler.ts';
import { startOpenTelemetry } from '../../../src/telemetry/open-telemetry/start.ts';
import { isTracingWanted } from '../../../src/telemetry/tracing.ts';
import { captureLog } from '../../support/capture-log.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [endpoint, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
  [{ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, false],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'otlp' }, true],
])('%j: traces are wanted: %s', (env, expected) => {
  expect(isTracingWanted(env)).toBe(expected);
});

test('by gRPC nothing is traced, and the log names the protocols that work', () => {
  const log: Readonly<Record<string, unknown>>[] = [];
  const logger = createLogger({ level: 'info', destination: captureLog(log) });
  const env = { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  const service = { name: 'vexil', version: '1', instance: 'a' };
  expect(startOpenTelemetry({ env, logger, service })).toBeUndefined();
  const msg = 'tracing: off, OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json';
  expect(log).toMatchObject([{ protocol: 'grpc', msg }]);
});

describe('the sampler', () => {
  const traceIds = Array.from({ length: 1_000 }, (_, index) =>
    // The SDK decides by the digits at both ends.
    Math.trunc(((index + 0.5) * 0xffffffff) / 1_000)
      .toString(16)
      .padStart(8, '0')
      .repeat(4),
  );
  const keeps = (env: Record<string, string>, linkFlags?: TraceFlags) => {
    const { sampler } = samplerOf(env);
    const links =
      linkFlags === undefined
        ? []
        : [{ context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: linkFlags } }];
    const isKept = (id: string) =>
      sampler.shouldSample(ROOT_CONTEXT, id, 'change', SpanKind.CONSUMER, {}, links).decision ===
      SamplingDecision.RECORD_AND_SAMPLED;
    return traceIds.filter(isKept).length / traceIds.length;
  };
  const ratio = (arg: string, sampler = 'parentbased_traceidratio') => ({
    OTEL_TRACES_SAMPLER: sampler,
    OTEL_TRACES_SAMPLER_ARG: arg,
  });

  test.each([
    [{}, 1],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, 0],
    [ratio('0'), 0],
    [ratio('1', 'traceidratio'), 1],
  ])('%j keeps %d', (env, share) => {
    expect(keeps(env)).toBe(share);
  });

  test('a change whose request is kept is kept, unless nothing is', () => {
    expect(keeps(ratio('0'), TraceFlags.SAMPLED)).toBe(1);
    expect(keeps(ratio('0'), TraceFlags.NONE)).toBe(0);
    expect(keeps({ OTEL_TRACES_SAMPLER: 'always_off' }, TraceFlags.SAMPLED)).toBe(0);
  });

  test.each([
    [
      { OTEL_TRACES_SAMPLER: 'sometimes' },
      ['OTEL_TRACES_SAMPLER: parentbased_always_on is used, as "sometimes" is not known'],
    ],
    [ratio('2'), ['OTEL_TRACES_SAMPLER_ARG: 1 is used, as "2" is no number from 0 to 1']],
    [ratio('0.1.2'), ['OTEL_TRACES_SAMPLER_ARG: 1 is used, as "0.1.2" is no number from 0 to 1']],
    [ratio('0.1'), []],
    [ratio('.5'), []],
  ])('%j: %j', (env, complaints) => {
    expect(samplerOf(env).complaints).toEqual(complaints);
  });
});
