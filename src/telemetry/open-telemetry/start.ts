/** Traces by OpenTelemetry. This file and all that it loads is read only if a place for traces is configured. */
import { setTimeout } from 'node:timers/promises';
import {
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../logger.ts';
import type { EndedCall, EnvironmentVariables, Tracing } from '../tracing.ts';
import { type ChangeSpans, createChangeIds, createChangeSpans } from './change-spans.ts';
import { samplerOf } from './sampler.ts';

export interface StartParts {
  readonly env: EnvironmentVariables;
  readonly logger: Logger;
  readonly service: { readonly name: string; readonly version: string; readonly instance: string };
}

const MIN_REPORT_INTERVAL_MS = 60_000;
/** A collector that does not answer keeps no operator from ending. */
const MAX_STOP_MS = 2_000;

const EXPORTERS: Readonly<Record<string, () => SpanExporter>> = {
  'http/protobuf': () => new ProtobufExporter(),
  'http/json': () => new JsonExporter(),
};

/** Undefined: these variables ask for what Vexil cannot do, and the log says so. */
export function startOpenTelemetry({ env, logger, service }: StartParts): Tracing | undefined {
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'] || 'http/protobuf';
  const makeExporter = Object.hasOwn(EXPORTERS, protocol) ? EXPORTERS[protocol] : undefined;
  if (makeExporter === undefined) {
    logger.warn({ protocol }, 'tracing: off, OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json');
    return undefined;
  }
  const { sampler, complaints } = samplerOf(env);
  for (const complaint of complaints) logger.warn({ complaint }, 'tracing: cannot use a setting');
  reportErrors(logger);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const ids = createChangeIds();
  const provider = new BasicTracerProvider({
    sampler,
    idGenerator: ids,
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': service.name,
          'service.version': service.version,
          'service.instance.id': service.instance,
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(makeExporter())],
  });
  logger.info({ protocol, sampler: sampler.toString() }, 'tracing: on');
  const tracer = provider.getTracer(service.name, service.version);
  return {
    ...tracingBy(tracer, createChangeSpans(tracer, ids)),
    stop: () => Promise.race([provider.shutdown(), setTimeout(MAX_STOP_MS, undefined, { ref: false })]),
  };
}

/** Says at most once a minute that traces are lost. The message names no header, which may be a secret. */
function reportErrors(logger: Logger): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  setGlobalErrorHandler((error) => {
    if (performance.now() - reportedAt < MIN_REPORT_INTERVAL_MS) return;
    reportedAt = performance.now();
    const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
    logger.warn({ error: String(name), code: String(code ?? '') }, 'tracing: cannot send spans, they are dropped');
  });
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Set while a reconcile runs, and says whether it has called the API server. */
const RUN = Symbol('reconcile');

interface Run {
  hasCalled: boolean;
}

function tracingBy(tracer: Tracer, changes: ChangeSpans): Omit<Tracing, 'stop'> {
  return {
    request({ method, traceparent }, next) {
      const caller = traceparent === undefined ? null : parseTraceParent(traceparent);
      // A span would cost a small read some percent of its time, and shows nothing about a change.
      if (caller === null && READS.has(method)) {
        next();
        return () => undefined;
      }
      const parent = caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT;
      const attributes = { 'http.request.method': method };
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
      context.with(trace.setSpan(parent, span), next);
      return ({ route, status }) => {
        if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        span.setAttribute('http.response.status_code', status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
    },
    current() {
      const running = trace.getActiveSpan()?.spanContext();
      if (running === undefined || (running.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
      return `00-${running.traceId}-${running.spanId}-01`;
    },
    called(call) {
      const active = context.active();
      const run = active.getValue(RUN) as Run | undefined;
      if (run) run.hasCalled = true;
      if (trace.getSpan(active)?.isRecording()) endedCall(tracer, call);
    },
    changed: changes.begin,
    async reconcile({ kind, object }, task) {
      const parent = (object && changes.contextOf(object)) ?? ROOT_CONTEXT;
      const attributes = { 'vexil.kind': kind };
      const span = tracer.startSpan(`reconcile ${kind}`, { attributes }, parent);
      const run: Run = { hasCalled: false };
      const within = trace.setSpan(parent, span).setValue(RUN, run);
      return ended(
        span,
        () => context.with(within, task),
        () => run.hasCalled,
      );
    },
    recorded: changes.recorded,
    async step({ name, ...place }, task) {
      const parent = changes.contextAt(place);
      if (parent === undefined) return task();
      const span = tracer.startSpan(name, {}, parent);
      return ended(
        span,
        () => context.with(trace.setSpan(parent, span), task),
        () => true,
      );
    },
    deliveries: (streams) => (delivery) => changes.delivered(streams, delivery),
  };
}

/** Ends the span with the task. A span that is not ended is not sent. */
async function ended<T>(span: Span, task: () => Promise<T>, isWorthIt: () => boolean): Promise<T> {
  try {
    const result = await task();
    if (isWorthIt()) span.end();
    return result;
  } catch (error) {
    // No message: it may name a user.
    span.setStatus({ code: SpanStatusCode.ERROR }).end();
    throw error;
  }
}

function endedCall(tracer: Tracer, { method, resource, status, durationMs }: EndedCall): void {
  const endTime = Date.now();
  const span = tracer.startSpan(`${method} ${resource}`, {
    kind: SpanKind.CLIENT,
    startTime: endTime - durationMs,
    attributes: {
      'http.request.method': method,
      'vexil.api_server.resource': resource,
      ...(status > 0 && { 'http.response.status_code': status }),
    },
  });
  if (status === 0 || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endTime);
}
