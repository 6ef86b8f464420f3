/** The wiring of the history: all watched kinds, recorded by the leader, with metrics and logs on each replica. */

import { createDerivation } from '../audit/derive/derive.ts';
import { historyShapes } from '../audit/derive/shapes.ts';
import { segmentTarget } from '../audit/export/segment-target.ts';
import { createHistory, type History, type HistoryParts } from '../audit/history.ts';
import { historyObserver } from '../audit/history-observer.ts';
import { readSigningKey } from '../audit/record/signing-key.ts';
import type { Config } from '../config/load-config.ts';
import { auditMappings } from '../kinds/registry.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import type { Health } from '../telemetry/health.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { observeAuditLog, type WiredAuditLog, wireAuditLog } from './audit-log.ts';
import { leaseOf } from './election.ts';
import type { Platform } from './platform.ts';

/** The delays are short, because waiting changes are in memory. */
const BACKOFF = { baseMs: 200, capMs: 5_000 };

export function wireHistory(platform: Platform): {
  readonly history: History;
  readonly health: Readonly<Record<string, () => Health>>;
  readonly auditLog: WiredAuditLog | undefined;
} {
  const { config, archive, cluster, catalog, transport, identity, logger, metrics, callerWrites, tracing } = platform;
  const { clock, random, wallTime } = platform.machine;
  const { notify, healthOf } = historyObserver(logger, metrics, wallTime);
  const backoff = exponentialBackoff({ ...BACKOFF, random });
  const auditLog = wireAuditLog(platform, backoff);
  const history = createHistory({
    archive,
    transport,
    callerWrites,
    tracing,
    places: cluster.places,
    ...createDerivation(auditMappings(historyShapes(catalog)), catalog.isDormant),
    people: catalog,
    home: config.namespace,
    instance: identity,
    retentionMs: config.audit.retentionMs,
    ...{ clock, random },
    backoff,
    log: auditLog?.source,
    signing: signingOf(config),
    export: exportOf(config),
    batchDelayMs: config.timings.auditBatchDelayMs,
    now: wallTime,
    onFault: (error) => logger.error({ error }, 'history: subscriber failed'),
    onNotice(notice) {
      if (notice.type === 'recorded') tracing.recorded(notice.entries);
      notify(notice);
    },
  });
  measure(history, platform);
  measureHeads(history, metrics);
  measureExport(history, metrics);
  const logHealth = auditLog && observeAuditLog(auditLog, history, metrics);
  return {
    history,
    auditLog,
    health: { history: () => healthOf(history), ...(logHealth && { 'audit-log': logHealth }) },
  };
}

function measure(history: History, { metrics, machine: { wallTime } }: Platform): void {
  const known = measureKnown(metrics);
  known('vexil_audit_waiting_changes', 'Watch events that are not in the archive yet.', () => history.waitingChanges);
  known('vexil_audit_waiting_seconds', 'Age in seconds of the oldest watch event that is not in the archive.', () =>
    history.waitingSince === undefined ? 0 : (wallTime() - history.waitingSince) / 1000,
  );
  known(
    'vexil_audit_waiting_events',
    'Entries of the archive whose Events are not published yet.',
    () => history.waitingEvents,
  );
  known(
    'vexil_audit_archive_bytes',
    'Size of the archive on disk in bytes (PostgreSQL: the whole database). Leader only.',
    () => history.archiveSize?.bytes,
  );
  known(
    'vexil_audit_archive_available_bytes',
    'Bytes by which a SQLite archive can still grow. Leader only.',
    () => history.archiveSize?.availableBytes,
  );
}

function signingOf(config: Config): HistoryParts['signing'] {
  const { historySigning: settings } = config;
  if (settings === undefined) return undefined;
  const { keyFile, intervalMs } = settings;
  return { intervalMs, readKey: () => readSigningKey(keyFile), lease: leaseOf(config) };
}

function measureHeads({ heads }: Pick<History, 'heads'>, metrics: Metrics): void {
  const known = measureKnown(metrics);
  known(
    'vexil_audit_signed_head',
    'Number of the last link of the chain over the history that is signed. Leader only, if heads are signed.',
    () => heads?.signed?.n,
  );
  known(
    'vexil_audit_signed_head_timestamp_seconds',
    'Time of that signature, in seconds since 1970. Leader only.',
    () => heads?.signed && heads.signed.at / 1000,
  );
  known(
    'vexil_audit_signing_overdue_seconds',
    'For how long the head of the chain should have been signed or published, and could not be. Leader only.',
    () => (heads?.overdueMs === undefined ? undefined : heads.overdueMs / 1000),
  );
}

function exportOf({ historyExport: settings }: Config): HistoryParts['export'] {
  if (settings === undefined) return undefined;
  const { url: name, place, intervalMs } = settings;
  return { name, target: segmentTarget(place), intervalMs };
}

function measureExport({ exporter }: Pick<History, 'exporter'>, metrics: Metrics): void {
  const known = measureKnown(metrics);
  known(
    'vexil_audit_export_waiting_links',
    'Links of the chain over the history that are not exported yet. Leader only, if the history is exported.',
    () => exporter?.waitingLinks,
  );
  known(
    'vexil_audit_export_overdue_seconds',
    'For how long segments of the history should have been written, and could not be. Leader only.',
    () => (exporter?.overdueMs === undefined ? undefined : exporter.overdueMs / 1000),
  );
}

/** A metric without a value while it is unknown. */
function measureKnown({ measure: measureAll }: Metrics) {
  return (name: string, help: string, value: () => number | undefined): void =>
    measureAll(name, help, () => {
      const now = value();
      return now === undefined ? [] : [{ labels: {}, value: now }];
    });
}
