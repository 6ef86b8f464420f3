/** The metrics for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { throwUncaught } from '../model/listeners.ts';
import { gaugesIn, type MeasureGauge, type OnFaultyGauge, type Sample } from './gauges.ts';
import { type QueueObserver, queueMetrics } from './queue-metrics.ts';

const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What every program measures: itself, its requests and its SDKs. */
export interface SdkMetrics {
  readonly httpRequests: Histogram;
  readonly sdkEvaluations: Counter;
  readonly sdkRequests: Counter;
  readonly sdkReportsUnreadable: Counter;
  readonly sdkStreams: Gauge;
  readonly sdkStreamsClosed: Counter;
  readonly sdkHydrations: Counter;
  readonly page: () => Promise<{ readonly type: string; readonly body: string }>;
  /** Registers a gauge whose values are read on each scrape. */
  readonly measure: (name: string, help: string, read: () => readonly Sample[]) => void;
}

/** What the operator measures. The help of each metric says what it counts. */
export interface Metrics extends SdkMetrics {
  // Calls to the API server, and watches
  readonly kubeRequests: Histogram;
  readonly watchLists: Counter;
  readonly watchRewinds: Counter;
  readonly watchFailures: Counter;
  readonly watchAge: {
    /** Starts the age of a watch; a restarted watch keeps its age. */
    begin(labels: Sample['labels']): void;
    receive(labels: Sample['labels']): void;
  };

  // Reconciles
  readonly reconciles: Histogram;
  readonly eventsDropped: Counter;
  /** Returns the observer of the queue of a kind. */
  readonly queueOf: (kind: string) => QueueObserver;

  // The history
  readonly auditEntries: Counter;
  readonly auditFailures: Counter;
  readonly auditReplays: Counter;
  readonly auditGaps: Counter;
  readonly auditLogWrites: Counter;
  readonly auditRewinds: Counter;
  readonly auditExportLost: Counter;

  // Streams of changed objects
  readonly changeStreams: Gauge;
  readonly changeStreamsClosed: Counter;

  // Reports of SDKs
  readonly usageFlushes: Histogram;
  readonly usageFailures: Counter;
  readonly usageDropped: Counter;
  /** Returns the counter of evaluations by flag. It names that many flags at most; at 0 there is none. */
  readonly flagEvaluations: (flags: number) => CountEvaluations | undefined;

  /** Reads a value of each notification sink on each scrape; there may be none at first. */
  readonly measureSinks: (name: string, help: string, read: () => readonly Sample[]) => void;
}

export function createMetrics(onFault: OnFaultyGauge = throwUncaught): Metrics {
  const registry = new Registry();
  const measure = gaugesIn(registry, onFault);
  return {
    ...sdkMetrics(registry, measure),
    ...events(registry),
    auditExportLost: exportLost(registry),
    ...changeStreams(registry),
    ...usage(registry),
    watchAge: watchAge(measure),
    measureSinks: (name: string, help: string, read: () => readonly Sample[]) =>
      measure({ name, help, labelNames: ['sink'] }, read),
    queueOf: queueMetrics(registry, measure),
  };
}

/** What an edge measures, which has no cluster. */
export interface EdgeMetrics extends SdkMetrics {
  /** Reads the age of the state of each environment on each scrape. */
  readonly measureStaleness: (read: () => readonly Sample[]) => void;
  readonly upstreamFailures: Counter;
  readonly usageDropped: Counter;
}

export function createEdgeMetrics(onFault: OnFaultyGauge = throwUncaught): EdgeMetrics {
  const registry = new Registry();
  const measure = gaugesIn(registry, onFault);
  const registers = [registry];
  return {
    ...sdkMetrics(registry, measure),
    measureStaleness(read) {
      const name = 'vexil_edge_staleness_seconds';
      const help = 'Time since the state of an environment was last known to be that of the upstream.';
      measure({ name, help, labelNames: ['environment'] }, read);
    },
    upstreamFailures: new Counter({
      name: 'vexil_edge_upstream_failures_total',
      help: 'Times that the upstream could not be read, by reason: away, busy, refused, absent, unusable.',
      labelNames: ['reason'],
      registers,
    }),
    usageDropped: new Counter({
      name: 'vexil_edge_usage_dropped_evaluations_total',
      help: 'Evaluations that the upstream may not have: the answer got lost, it refused them, or too many were in memory.',
      registers,
    }),
  };
}

let processRegistry: Registry | undefined;

/**
 * What Node.js says about the process. Its observers cannot be removed, so that a second registry would stay in memory
 * with all that its gauges read.
 */
function metricsOfProcess(): Registry {
  if (processRegistry) return processRegistry;
  processRegistry = new Registry();
  collectDefaultMetrics({ register: processRegistry });
  return processRegistry;
}

function sdkMetrics(registry: Registry, measureGauge: MeasureGauge): SdkMetrics {
  const ofProcess = metricsOfProcess();
  return {
    httpRequests: new Histogram({
      name: 'vexil_http_request_duration_seconds',
      help: 'Duration of requests to the API, by route template and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: CALL_SECONDS,
      registers: [registry],
    }),
    ...sdkReports(registry),
    ...sdkStreams(registry),
    page: async () => ({
      type: registry.contentType,
      body: await Registry.merge([ofProcess, registry]).metrics(),
    }),

    measure(name: string, help: string, read: () => readonly Sample[]): void {
      measureGauge({ name, help, labelNames: Object.keys(read()[0]?.labels ?? {}) }, read);
    },
  };
}

/** The counters and histograms. */
function events(registry: Registry) {
  const registers = [registry];
  const timed = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: CALL_SECONDS, registers });
  const counted = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    kubeRequests: timed(
      'vexil_kube_request_duration_seconds',
      'Duration of calls to the API server. Status 0 is a failure below HTTP; a PATCH with 409 is a write conflict.',
      ['method', 'resource', 'status'],
    ),
    auditEntries: counted('vexil_audit_entries_total', 'Audit entries stored in the archive, by type.', ['type']),
    auditFailures: counted(
      'vexil_audit_failures_total',
      'Audit failures, by part. changes: the archive did not answer. events: the API server did not accept Events. steps: an entry was stored without content because it could not be derived. heads: the head of the chain could not be signed or published. export: a segment could not be written.',
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
    auditLogWrites: counted(
      'vexil_audit_log_writes_total',
      'Events of the audit log of the API server, by outcome. taken, repeated, other (no write of a kind of Vexil), unreadable: what arrived. named, confirmed, contradicted: entries. unmatched: writes without an entry.',
      ['outcome'],
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

function exportLost(registry: Registry): Counter {
  return new Counter({
    name: 'vexil_audit_export_lost_total',
    help: 'Links and rows of the chain over the history that retention has deleted before they were exported.',
    registers: [registry],
  });
}

/** The metrics of what SDKs report. */
function sdkReports(registry: Registry) {
  const registers = [registry];
  return {
    sdkEvaluations: new Counter({
      name: 'vexil_sdk_evaluations_total',
      help: 'Evaluations of flags that SDKs have reported to this replica, by environment and result (yes, no).',
      labelNames: ['environment', 'result'],
      registers,
    }),
    sdkRequests: new Counter({
      name: 'vexil_sdk_requests_total',
      help: 'Requests with a token for SDKs, by environment and kind of endpoint: client, frontend, ofrep, report, stream.',
      labelNames: ['environment', 'endpoint'],
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

/** The metrics of storing what SDKs report. */
function usage(registry: Registry) {
  const registers = [registry];
  return {
    usageFlushes: new Histogram({
      name: 'vexil_usage_flush_duration_seconds',
      help: 'Duration of writing reports of SDKs to the database; only flushes that succeeded.',
      buckets: CALL_SECONDS,
      registers,
    }),
    usageFailures: new Counter({
      name: 'vexil_usage_failures_total',
      help: 'Failures of the store of reports, by action: flush, refresh, prune. A flush that failed is repeated.',
      labelNames: ['action'],
      registers,
    }),
    usageDropped: new Counter({
      name: 'vexil_usage_dropped_evaluations_total',
      help: 'Evaluations that were not stored: too many were in memory, or the database refused them for good.',
      registers,
    }),
    flagEvaluations: (flags: number) => (flags === 0 ? undefined : flagEvaluations(registry, flags)),
  };
}

type CountEvaluations = (
  name: string,
  environment: string,
  times: { readonly yes: number; readonly no: number },
) => void;

/** Counts evaluations by flag, the flags beyond the limit as `other`. */
function flagEvaluations(registry: Registry, limit: number): CountEvaluations {
  const counter = new Counter({
    name: 'vexil_flag_evaluations_total',
    help: 'Evaluations that SDKs have reported to this replica, by flag, environment and result (yes, no).',
    labelNames: ['flag', 'environment', 'result'],
    registers: [registry],
  });
  const named = new Set<string>();
  return (name, environment, { yes, no }) => {
    if (named.size < limit) named.add(name);
    const flag = named.has(name) ? name : 'other';
    if (yes > 0) counter.inc({ flag, environment, result: 'yes' }, yes);
    if (no > 0) counter.inc({ flag, environment, result: 'no' }, no);
  };
}

/** The metrics of the streams of `GET /changes`. */
function changeStreams(registry: Registry) {
  const registers = [registry];
  return {
    changeStreams: new Gauge({
      name: 'vexil_change_streams',
      help: 'Streams of changed objects (`GET /api/admin/changes`) that are open.',
      registers,
    }),
    changeStreamsClosed: new Counter({
      name: 'vexil_change_streams_closed_total',
      help: 'Streams of changed objects that were closed, by reason: client, slow, token, stopping, error.',
      labelNames: ['reason'],
      registers,
    }),
  };
}

/** The metrics of the changes that SDKs read. */
function sdkStreams(registry: Registry) {
  const registers = [registry];
  return {
    sdkStreams: new Gauge({ name: 'vexil_sdk_streams', help: 'Streams of SDKs that are open.', registers }),
    sdkStreamsClosed: new Counter({
      name: 'vexil_sdk_streams_closed_total',
      help: 'Streams that were closed, by reason: client, slow (the reader did not read), token (it was revoked, changed or has expired), stopping, error (the stream failed).',
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
function watchAge(measure: MeasureGauge): Metrics['watchAge'] {
  const watches = new Map<string, { readonly labels: Sample['labels']; receivedAt: number }>();
  const help =
    'Time since a watch last received data. Kinds without changes get a bookmark about once a minute; at higher values the cache may be stale.';
  measure({ name: 'vexil_watch_age_seconds', help, labelNames: ['kind', 'namespace'] }, () => {
    const now = performance.now();
    return [...watches.values()].map(({ labels, receivedAt }) => ({ labels, value: (now - receivedAt) / 1000 }));
  });
  const keyOf = ({ kind, namespace }: Sample['labels']) => `${kind}/${namespace}`;
  return {
    begin(labels) {
      if (!watches.has(keyOf(labels))) watches.set(keyOf(labels), { labels, receivedAt: performance.now() });
    },
    receive(labels) {
      watches.set(keyOf(labels), { labels, receivedAt: performance.now() });
    },
  };
}
