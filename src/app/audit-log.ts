/** The wiring of the audit log of the API server: its file, its receiver, its metrics and its health. */

import type { History, HistoryParts } from '../audit/history.ts';
import { createAuditLog } from '../audit/log/audit-log.ts';
import { createAuditLogReceiver } from '../http/audit-log-receiver.ts';
import type { Listener } from '../http/server/socket/listen.ts';
import { whoAmI } from '../kube/api/reviews.ts';
import type { Health } from '../telemetry/health.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Platform } from './platform.ts';

export interface WiredAuditLog {
  readonly source: NonNullable<HistoryParts['log']>;
  /** Undefined: the log is not received. */
  readonly receiver: Listener | undefined;
  /** Why the file cannot be read; undefined: it can, or there is none. */
  readonly failure: unknown;
  /** Follows the file until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Undefined: the log is no source. */
export function wireAuditLog(
  { config, archive, transport, logger, metrics, machine }: Platform,
  backoff: (failures: number) => number,
): WiredAuditLog | undefined {
  const { auditLog: settings } = config;
  if (settings === undefined) return undefined;
  const log = createAuditLog({
    ...{ archive, file: settings.file, backoff },
    ...{ clock: machine.clock, now: machine.wallTime },
    count: (outcome, events) => metrics.auditLogWrites.inc({ outcome }, events),
    onFault: (error) => logger.error({ error }, 'audit log: subscriber failed'),
  });
  const receiver =
    settings.receiver &&
    createAuditLogReceiver({
      ...{ settings: settings.receiver, host: config.http.host, logger },
      take: log.take,
      observe: ({ method, route, status, seconds }) => metrics.httpRequests.observe({ method, route, status }, seconds),
    });
  return {
    source: { ...log, whoAmI: (signal) => whoAmI(transport, signal), lateMs: settings.lateMs },
    receiver,
    run: log.run,
    get failure() {
      return log.failure;
    },
  };
}

/** Always healthy, because recording does not need the log. */
export function observeAuditLog(
  log: Pick<WiredAuditLog, 'failure'>,
  history: Pick<History, 'lateEntries'>,
  { measure: measureAll }: Metrics,
): () => Health {
  const isUp = () => log.failure === undefined && (history.lateEntries ?? 0) === 0;
  const measure = (name: string, help: string, value: () => number) =>
    measureAll(name, help, () => [{ labels: {}, value: value() }]);
  measure(
    'vexil_audit_log_up',
    '1 while the audit log of the API server arrives; 0 while its file cannot be read, or entries wait for it too long.',
    () => Number(isUp()),
  );
  measure(
    'vexil_audit_log_late_entries',
    'Entries of the last hour that the audit log of the API server should have confirmed. Leader only.',
    () => history.lateEntries ?? 0,
  );
  return () => ({ ok: true, detail: healthOf(log.failure, history.lateEntries) });
}

function healthOf(failure: unknown, late: number | undefined): string {
  if (failure !== undefined) return `the file cannot be read: ${failure instanceof Error ? failure.message : failure}`;
  if (late === undefined) return 'another replica compares it with the history';
  return late === 0 ? 'arrives' : `${late} of the entries of the last hour are not in it`;
}
