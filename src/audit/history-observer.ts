/** Reports the notices of the audit history in log, metrics and health. */
import type { Health } from '../telemetry/health.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { History } from './history.ts';
import type { HistoryNotice, Notify } from './record/notice.ts';

export interface HistoryObserver {
  readonly notify: Notify;
  /** Always ok: a failing archive does not affect readiness, changes and reads go on. */
  healthOf(history: History): Health;
}

type Of<T extends HistoryNotice['type']> = Extract<HistoryNotice, { type: T }>;

type NoticeReports<T extends HistoryNotice['type']> = { readonly [Each in T]: (notice: Of<Each>) => void };

/** `now` returns ms since 1970. */
export function historyObserver(logger: Logger, metrics: Metrics, now: () => number): HistoryObserver {
  const { auditEntries, auditFailures, auditRewinds } = metrics;
  const failing = new Set<'changes' | 'events'>();
  metrics.measure(
    'vexil_audit_archive_up',
    '1 while the audit archive answers the leader; 0 while it does not and changes are buffered.',
    () => [{ labels: {}, value: failing.has('changes') ? 0 : 1 }],
  );
  /** Returns true for the first failure in a row. */
  const isFirstFailure = (part: 'changes' | 'events'): boolean => {
    auditFailures.inc({ part });
    const isNew = !failing.has(part);
    failing.add(part);
    return isNew;
  };
  const report: NoticeReports<HistoryNotice['type']> = {
    recorded: ({ entries }) => {
      for (const { type } of entries) auditEntries.inc({ type });
    },
    'archive-failed': ({ error }) => {
      if (isFirstFailure('changes')) logger.warn({ error }, 'audit archive: unavailable, changes are buffered');
    },
    'archive-recovered': () => {
      if (failing.delete('changes')) logger.info({}, 'audit archive: available again');
    },
    'step-not-derived': ({ resource, key, error }) => {
      auditFailures.inc({ part: 'steps' });
      logger.error({ resource, key, error }, 'audit: cannot derive events for object, its entry has no content');
    },
    'watch-failed': ({ scope, error }) => logger.warn({ scope, error }, 'audit: watch failed, retrying'),
    ...reportReplays(logger, metrics),
    ...reportLog(logger, metrics),
    ...reportHeads(logger, metrics),
    ...reportExport(logger, metrics),
    'cluster-restored': ({ scope }) => {
      auditRewinds.inc({ scope });
      logger.warn({ scope }, 'audit: cluster was restored from a backup, recorded the differences');
    },
    overtaken: () => logger.info({}, 'audit: another replica has recorded meanwhile, resuming from the archive'),
    'events-failed': ({ error }) => {
      if (isFirstFailure('events')) logger.warn({ error }, 'audit events: cannot publish, Events are queued');
    },
    'events-recovered': () => {
      if (failing.delete('events')) logger.info({}, 'audit events: publishing again');
    },
    'event-refused': ({ entry, error }) =>
      logger.error({ entry: entry.id, type: entry.type, error }, 'audit events: Event rejected permanently'),
    restored: ({ entries }) => {
      if (entries === 0) logger.info({}, 'audit archive: empty, no Events to restore entries from');
      else logger.warn({ entries }, 'audit archive: empty, restored entries from Events');
    },
    'restore-refused': ({ namespace, error }) =>
      logger.warn({ namespace, error }, 'audit archive: cannot read Events, their entries are not restored'),
    'versions-made': ({ scope, versions }) =>
      logger.info({ scope, versions }, 'audit archive: made versions from the last known states'),
    linked: ({ links }) => logger.info({ links }, 'audit chain: linked rows that had no link'),
    'linking-failed': ({ error }) => logger.warn({ error }, 'audit chain: cannot link, retrying'),
    pruned: ({ type: _, ...counts }) => logger.info(counts, 'audit retention: pruned entries'),
    'pruning-failed': ({ error }) => logger.warn({ error }, 'audit retention: cannot prune entries'),
  };
  return {
    notify: (notice) => (report[notice.type] as (notice: HistoryNotice) => void)(notice),
    healthOf(history) {
      if (!history.isRunning) return { ok: true, detail: 'another replica records the history' };
      const { waitingChanges, waitingSince, waitingEvents } = history;
      const seconds = Math.round((now() - (waitingSince ?? now())) / 1000);
      const waits = `${waitingChanges} changes wait for the archive, the oldest for ${seconds} s; ${waitingEvents} Events wait`;
      const why = [
        ...(failing.has('changes') ? ['; the archive does not answer'] : []),
        ...(failing.has('events') ? ['; the API server does not take Events'] : []),
      ];
      return { ok: true, detail: waits + why.join('') };
    },
  };
}

function reportReplays(logger: Logger, { auditGaps, auditReplays }: Metrics): NoticeReports<'replayed' | 'gap'> {
  return {
    replayed: ({ type: _, scope, ...facts }) => {
      auditReplays.inc({ scope });
      logger.info({ scope, ...facts }, 'audit: replayed changes that the watch had missed from etcd');
      if (facts.unexplained === 0) return;
      auditGaps.inc({ scope });
      logger.warn({ scope, ...facts }, 'audit: objects created and deleted meanwhile are not recorded');
    },
    gap: ({ scope, since }) => {
      auditGaps.inc({ scope });
      logger.warn(
        { scope, since: new Date(since).toISOString() },
        'audit: changes were compacted in etcd before they were recorded, several of one object are one entry',
      );
    },
  };
}

type LogNotice = 'attributed' | 'contradicted' | 'unmatched' | 'log-failed' | 'log-recovered' | 'log-replayed';

function reportLog(logger: Logger, { auditGaps, auditLogWrites }: Metrics): NoticeReports<LogNotice> {
  return {
    attributed({ named, confirmed }) {
      auditLogWrites.inc({ outcome: 'named' }, named);
      auditLogWrites.inc({ outcome: 'confirmed' }, confirmed);
    },
    contradicted({ entry, says, logged }) {
      auditLogWrites.inc({ outcome: 'contradicted' });
      logger.warn({ entry, says, logged }, 'audit log: the API server names another author than the entry');
    },
    unmatched: ({ writes }) => auditLogWrites.inc({ outcome: 'unmatched' }, writes),
    'log-failed': ({ error }) => logger.warn({ error }, 'audit log: cannot give entries their authors, retrying'),
    'log-recovered': () => logger.info({}, 'audit log: giving entries their authors again'),
    'log-replayed'({ type: _, scope, ...facts }) {
      logger.info({ scope, ...facts }, 'audit log: recorded changes that the watch had missed');
      if (facts.missing === 0) return;
      auditGaps.inc({ scope });
      logger.warn({ scope, ...facts }, 'audit log: some changes are missing, several of one object are one entry');
    },
  };
}

type HeadNotice = 'head-signed' | 'signing-failed' | 'signing-recovered';

function reportHeads(logger: Logger, { auditFailures }: Metrics): NoticeReports<HeadNotice> {
  return {
    // The log is a place outside of the database that can tell later what was signed.
    'head-signed': ({ head }) => logger.info({ ...head }, 'audit chain: signed the head'),
    'signing-failed'({ error, isFirst }) {
      auditFailures.inc({ part: 'heads' });
      if (isFirst) logger.error({ error }, 'audit chain: cannot sign the head, retrying');
    },
    'signing-recovered': () => logger.info({}, 'audit chain: signing heads again'),
  };
}

type ExportNotice = 'exported' | 'export-failed' | 'export-recovered';

function reportExport(logger: Logger, { auditFailures, auditExportLost }: Metrics): NoticeReports<ExportNotice> {
  return {
    exported({ segment, lost }) {
      if (segment !== undefined) logger.info({ segment }, 'audit export: wrote a segment');
      if (lost === 0) return;
      auditExportLost.inc(lost);
      logger.error({ segment, lost }, 'audit export: retention has deleted rows before they were exported');
    },
    'export-failed'({ error, isFirst }) {
      auditFailures.inc({ part: 'export' });
      if (isFirst) logger.warn({ error }, 'audit export: cannot write a segment, retrying');
    },
    'export-recovered': () => logger.info({}, 'audit export: writing segments again'),
  };
}
