/** Says in the log and in the metrics what the history lives through. */
import type { Health } from '../telemetry/health.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { History } from './history.ts';
import type { HistoryNotice, Notify } from './notice.ts';

export interface HistoryObserver {
  readonly notify: Notify;
  /** Nothing of it makes a replica less ready: changes and reads go on. */
  healthOf(history: History): Health;
}

type Of<T extends HistoryNotice['type']> = Extract<HistoryNotice, { type: T }>;

type Tell<T extends HistoryNotice['type']> = { readonly [Each in T]: (notice: Of<Each>) => void };

/** `now` gives ms since 1970. */
export function historyObserver(logger: Logger, metrics: Metrics, now: () => number): HistoryObserver {
  const { auditEntries, auditFailures, auditRewinds } = metrics;
  const failing = new Set<'changes' | 'events'>();
  metrics.measure(
    'vexil_audit_archive_up',
    '0 while the archive of the history does not answer the leader, so that changes wait; else 1.',
    () => [{ labels: {}, value: failing.has('changes') ? 0 : 1 }],
  );
  /** True of the first failure in a row. */
  const begins = (what: 'changes' | 'events'): boolean => {
    auditFailures.inc({ part: what });
    const isNew = !failing.has(what);
    failing.add(what);
    return isNew;
  };
  const tell: Tell<HistoryNotice['type']> = {
    told: ({ entries }) => {
      for (const { type } of entries) auditEntries.inc({ type });
    },
    'archive-failed': ({ error }) => {
      if (begins('changes'))
        logger.warn({ error }, 'the archive of the history does not answer: changes wait to be told');
    },
    'archive-recovered': () => {
      if (failing.delete('changes')) logger.info({}, 'the archive of the history answers again');
    },
    'step-not-derived': ({ resource, key, error }) => {
      auditFailures.inc({ part: 'steps' });
      logger.error({ resource, key, error }, 'history: a change could not be derived, its entry has no content');
    },
    'watch-failed': ({ scope, error }) => logger.warn({ scope, error }, 'a watch of the history failed, trying again'),
    ...tellOfReplays(logger, metrics),
    rewound: ({ scope }) => {
      auditRewinds.inc({ scope });
      logger.warn(
        { scope },
        'the cluster was set back to an earlier state, and the history has told what that changed',
      );
    },
    overtaken: () => logger.info({}, 'another replica has told the history meanwhile: going on from there'),
    'events-failed': ({ error }) => {
      if (begins('events')) logger.warn({ error }, 'Events of the history cannot be published: they wait');
    },
    'events-recovered': () => {
      if (failing.delete('events')) logger.info({}, 'Events of the history are published again');
    },
    'event-refused': ({ entry, error }) =>
      logger.error({ entry: entry.id, type: entry.type, error }, 'an Event of the history is refused for good'),
    restored: ({ entries }) => {
      if (entries === 0)
        logger.info({}, 'the history begins: neither its archive nor the cluster tells anything older');
      else logger.warn({ entries }, 'the archive of the history was empty: it begins with what the Events still tell');
    },
    'restore-refused': ({ namespace, error }) =>
      logger.warn({ namespace, error }, 'Events may not be read: what they tell is not in the history'),
    pruned: ({ entries }) => logger.info({ entries }, 'the history has lost entries that were too old'),
    'pruning-failed': ({ error }) => logger.warn({ error }, 'entries that are too old could not be deleted'),
  };
  return {
    notify: (notice) => (tell[notice.type] as (notice: HistoryNotice) => void)(notice),
    healthOf(history) {
      if (!history.isRunning) return { ok: true, detail: 'another replica tells the history' };
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

function tellOfReplays(logger: Logger, { auditGaps, auditReplays }: Metrics): Tell<'replayed' | 'gap'> {
  return {
    replayed: ({ type: _, scope, ...facts }) => {
      auditReplays.inc({ scope });
      logger.info({ scope, ...facts }, 'history: read what the watch had missed from earlier versions in etcd');
      if (facts.unexplained === 0) return;
      auditGaps.inc({ scope });
      logger.warn({ scope, ...facts }, 'history: objects that were created and deleted meanwhile are not recorded');
    },
    gap: ({ scope, since }) => {
      auditGaps.inc({ scope });
      logger.warn(
        { scope, since: new Date(since).toISOString() },
        'history: changes were compacted in etcd before they were recorded, several of one object are one entry',
      );
    },
  };
}
