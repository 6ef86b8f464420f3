/** The metrics for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { queueMetrics } from './queue-metrics.ts';

const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A value that is read when it is scraped. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    ...events(registry),
    ...sdkReports(registry),
    ...sdkStreams(registry),
    watchAge: watchAge(registry),
    /** The observer of the queue of a kind. */
    queueOf: queueMetrics(registry),
    page: async () => ({ type: registry.contentType, body: await registry.metrics() }),

    /** Registers a gauge whose values are read on each scrape. */
    measure(name: string, help: string, read: () => readonly Sample[]): void {
      const labelNames = Object.keys(read()[0]?.labels ?? {});
      const collect = (gauge: Gauge) => {
        gauge.reset();
        for (const { labels, value } of read()) gauge.set(labels, value);
      };
      const gauge: Gauge = new Gauge({ name, help, labelNames, registers: [registry], collect: () => collect(gauge) });
    },
  };
}

/** Counters and histograms. */
function events(registry: Registry) {
  const registers = [registry];
  const timed = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: CALL_SECONDS, registers });
  const counted = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    httpRequests: timed(
      'vexil_http_request_duration_seconds',
      'Duration of requests to the API, by route template and status.',
      ['method', 'route', 'status'],
    ),
    kubeRequests: timed(
      'vexil_kube_request_duration_seconds',
      'Duration of calls to the API server. Status 0 is a failure below HTTP; a PATCH with 409 is a write conflict.',
      ['method', 'resource', 'status'],
    ),
    auditEntries: counted('vexil_audit_entries_total', 'Audit entries stored in the archive, by type.', ['type']),
    auditFailures: counted(
      'vexil_audit_failures_total',
      'Audit failures, by part. changes: the archive did not answer. events: the API server did not accept Events. steps: an entry was stored without content because it could not be derived.',
      ['part'],
    ),
    auditReplays: counted(
      'vexil_audit_replays_total',
      'Replays of changes from past versions in etcd, because the API server had no watch events for them any more.',
      ['scope'],
    ),
    auditGaps: counted(
      'vexil_audit_gaps_total',
      'Times that changes could not be recorded one by one because etcd had compacted them.',
      ['scope'],
    ),
    auditRewinds: counted(
      'vexil_audit_rewinds_total',
      'Times that the audit recorder detected a restored backup of etcd.',
      ['scope'],
    ),
    eventsDropped: counted(
      'vexil_events_dropped_total',
      'Events about a change of Ready that were not published, because too many objects changed at once.',
      [],
    ),
    reconciles: timed('vexil_reconcile_duration_seconds', 'Duration of reconciles, by kind and result.', [
      'kind',
      'result',
    ]),
    watchLists: counted('vexil_watch_lists_total', 'Complete lists that watches have read.', ['kind', 'namespace']),
    watchRewinds: counted('vexil_watch_rewinds_total', 'Times that a watch detected a restored backup of etcd.', [
      'kind',
      'namespace',
    ]),
    watchFailures: counted(
      'vexil_watch_failures_total',
      'Times that a watch was closed and reopened, by reason: failed, silent.',
      ['kind', 'namespace', 'reason'],
    ),
  };
}

/** What SDKs report. */
function sdkReports(registry: Registry) {
  const registers = [registry];
  return {
    sdkEvaluations: new Counter({
      name: 'vexil_sdk_evaluations_total',
      help: 'Evaluations of flags that SDKs have reported to this replica, by environment and result (yes, no).',
      labelNames: ['environment', 'result'],
      registers,
    }),
    sdkReportsUnreadable: new Counter({
      name: 'vexil_sdk_reports_unreadable_total',
      help: 'Reports of SDKs that were not counted because they could not be read, by route template.',
      labelNames: ['route'],
      registers,
    }),
  };
}

/** What SDKs read as changes. */
function sdkStreams(registry: Registry) {
  const registers = [registry];
  return {
    sdkStreams: new Gauge({ name: 'vexil_sdk_streams', help: 'Streams of SDKs that are open.', registers }),
    sdkStreamsClosed: new Counter({
      name: 'vexil_sdk_streams_closed_total',
      help: 'Streams that were closed, by reason: client, slow (the reader did not read), token (it was revoked, changed or has expired), stopping.',
      labelNames: ['reason'],
      registers,
    }),
    sdkHydrations: new Counter({
      name: 'vexil_sdk_hydrations_total',
      help: 'Times that an SDK got all flags instead of changes, by endpoint: delta, streaming.',
      labelNames: ['by'],
      registers,
    }),
  };
}

/** The time since each watch last received data: the maximum staleness of its cache. */
function watchAge(registry: Registry) {
  const watches = new Map<string, { readonly labels: Sample['labels']; receivedAt: number }>();
  const gauge: Gauge = new Gauge({
    name: 'vexil_watch_age_seconds',
    help: 'Time since a watch last received data. Kinds without changes get a bookmark about once a minute; at higher values the cache may be stale.',
    labelNames: ['kind', 'namespace'],
    registers: [registry],
    collect() {
      const now = performance.now();
      for (const { labels, receivedAt } of watches.values()) gauge.set(labels, (now - receivedAt) / 1000);
    },
  });
  const keyOf = ({ kind, namespace }: Sample['labels']) => `${kind}/${namespace}`;
  return {
    /** Starts the age of a watch; a restarted watch keeps its age. */
    begin(labels: Sample['labels']): void {
      if (!watches.has(keyOf(labels))) watches.set(keyOf(labels), { labels, receivedAt: performance.now() });
    },
    receive(labels: Sample['labels']): void {
      watches.set(keyOf(labels), { labels, receivedAt: performance.now() });
    },
  };
}
