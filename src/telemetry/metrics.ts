/** What is measured, under the names that Prometheus scrapes. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A value that is asked for when it is scraped. */
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
    watchAge: watchAge(registry),
    page: async () => ({ type: registry.contentType, body: await registry.metrics() }),

    /** A gauge over things that know their value themselves. */
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

/** What is counted when it happens. */
function events(registry: Registry) {
  const registers = [registry];
  const timed = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: CALL_SECONDS, registers });
  const counted = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    httpRequests: timed(
      'vexil_http_request_duration_seconds',
      'Requests of the admin API, by route template and status.',
      ['method', 'route', 'status'],
    ),
    kubeRequests: timed(
      'vexil_kube_request_duration_seconds',
      'Calls to the API server. Status 0 is a failure below HTTP, a PATCH with 409 a conflict of writes.',
      ['method', 'resource', 'status'],
    ),
    auditEntries: counted('vexil_audit_entries_total', 'Entries of the history that were stored, by type.', ['type']),
    auditFailures: counted(
      'vexil_audit_failures_total',
      'Times that something of the history had to wait, by what: changes for the archive, events for the API server. Steps are changes whose entries have no content, as they could not be derived.',
      ['part'],
    ),
    auditReplays: counted(
      'vexil_audit_replays_total',
      'Times that the history read changes from earlier versions in etcd, as the API server had no watch events for them any more.',
      ['scope'],
    ),
    auditGaps: counted(
      'vexil_audit_gaps_total',
      'Times that changes could not be recorded one by one, because nothing had them any more.',
      ['scope'],
    ),
    auditRewinds: counted(
      'vexil_audit_rewinds_total',
      'Times that the history found the cluster set back to an earlier state, as by a restored backup of etcd.',
      ['scope'],
    ),
    reconciles: timed('vexil_reconcile_duration_seconds', 'Runs of the reconcilers.', ['kind', 'result']),
    watchLists: counted('vexil_watch_lists_total', 'Complete lists that a watch has taken.', ['kind', 'namespace']),
    watchRewinds: counted(
      'vexil_watch_rewinds_total',
      'Times that a watch found the cluster set back to an earlier state, as by a restored backup of etcd.',
      ['kind', 'namespace'],
    ),
    watchFailures: counted(
      'vexil_watch_failures_total',
      'Times that a watch was given up and opened anew, by why: failed, silent.',
      ['kind', 'namespace', 'reason'],
    ),
  };
}

/** The time since each watch heard something, which is how far behind its cache may be. */
function watchAge(registry: Registry) {
  const watches = new Map<string, { readonly labels: Sample['labels']; heardAt: number }>();
  const gauge: Gauge = new Gauge({
    name: 'vexil_watch_age_seconds',
    help: 'Time since a watch last heard from the API server. Quiet kinds hear something about once a minute; beyond that, reads come from a cache that may be behind.',
    labelNames: ['kind', 'namespace'],
    registers: [registry],
    collect() {
      const now = performance.now();
      for (const { labels, heardAt } of watches.values()) gauge.set(labels, (now - heardAt) / 1000);
    },
  });
  const keyOf = ({ kind, namespace }: Sample['labels']) => `${kind}/${namespace}`;
  return {
    /** A watch begins, or begins again; the first time it counts as heard. */
    begin(labels: Sample['labels']): void {
      if (!watches.has(keyOf(labels))) watches.set(keyOf(labels), { labels, heardAt: performance.now() });
    },
    hear(labels: Sample['labels']): void {
      watches.set(keyOf(labels), { labels, heardAt: performance.now() });
    },
  };
}
