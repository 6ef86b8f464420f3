/** The wiring of usage: counted and stored on each replica, shown in statuses by the leader, and its evidence. */
import { isRefusal } from '../errors.ts';
import { createLastSeenAt } from '../kube/write/last-seen-at.ts';
import { pause } from '../model/clock.ts';
import type { Term } from '../runtime/election.ts';
import { createKnownUsage, type KnownUsage } from '../usage/known-usage.ts';
import { createReports, type Reports } from '../usage/reports.ts';
import { createUsage, type ObserveUsage, type Usage } from '../usage/store.ts';
import type { UsageReader } from '../usage/usage.ts';
import { createUsageLookups, type UsageLookups } from '../usage/usage-lookups.ts';
import type { Platform } from './platform.ts';

export interface WiredUsage {
  readonly usage: Usage;
  readonly reports: Reports;
  /** The work of the leader. */
  readonly lead: (term: Term) => Promise<void>;
  /** Writes what is in memory; gives up after a time. */
  readonly stop: () => Promise<void>;
}

const PRUNE_EVERY_MS = 600_000;
/** Kubernetes ends a pod that takes longer than 30 s, of which requests take up to 10. */
const STOP_WITHIN_MS = 5_000;
/** How many flushes pass between two looks at the statuses. */
const FLUSHES_PER_LOOK = 6;

export function wireUsage(platform: Platform): WiredUsage {
  const { config, cluster, catalog, database, identity, logger, metrics } = platform;
  const { clock, wallTime: now, random } = platform.machine;
  const observe = observerOf(platform);
  const usage = createUsage({
    database,
    retention: config.usage,
    flushMs: config.timings.usageFlushMs,
    writer: identity,
    ...{ clock, now, random, observe },
  });
  metrics.measure('vexil_usage_keys', 'Counters of evaluations in memory that are not stored yet.', () => [
    { labels: {}, value: usage.keys() },
  ]);
  metrics.measure('vexil_usage_away_seconds', 'How long the store of reports could not be reached.', () => {
    const since = usage.awaySince();
    return [{ labels: {}, value: since === undefined ? 0 : (now() - since) / 1000 }];
  });
  const onCounted = metrics.flagEvaluations(config.usage.flagMetrics);

  const pruneRegularly = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await usage.prune().catch((error: unknown) => observe.failed('prune', error));
      await pause(clock, PRUNE_EVERY_MS, signal);
    }
  };
  const showLastSeen = async (term: Term) => {
    const write = createLastSeenAt({
      flags: cluster.caches.flags,
      lastSeen: (uid) => Math.max(0, ...usage.lastSeen(uid).values()),
      isCurrent: term.isCurrent,
      clock,
      logger,
    });
    while (!term.signal.aborted) {
      await pause(clock, FLUSHES_PER_LOOK * config.timings.usageFlushMs, term.signal);
      await write(term.signal);
    }
  };
  return {
    usage,
    reports: createReports({ catalog, usage, now, onCounted }),
    lead: async (term) => {
      await Promise.all([pruneRegularly(term.signal), showLastSeen(term)]);
    },
    async stop() {
      const flushed = usage.flush().catch((error: unknown) => observe.failed('flush', error));
      await Promise.race([flushed, pause(clock, STOP_WITHIN_MS)]);
    },
  };
}

function observerOf({ logger, metrics }: Platform): ObserveUsage {
  return {
    flushed: (seconds) => metrics.usageFlushes.observe(seconds),
    dropped: (evaluations) => metrics.usageDropped.inc(evaluations),
    failed(action, error) {
      metrics.usageFailures.inc({ action });
      const level = isRefusal(error, 'unavailable', 'busy') ? 'warn' : 'error';
      logger[level]({ action, error }, 'usage: database operation failed');
    },
  };
}

export interface WiredUsageLookups {
  readonly reader: UsageReader;
  readonly known: KnownUsage;
  readonly lookups: UsageLookups;
  readonly usageConditions: UsageLookups['conditionsOf'];
}

export function wireUsageLookups(platform: Platform, reader: UsageReader): WiredUsageLookups {
  const { config, catalog, cluster, logger } = platform;
  const { clock, wallTime: now } = platform.machine;
  const { flags } = cluster.caches;
  const known = createKnownUsage({
    reader,
    flagUids: () => Iterator.from(flags.all()).map(({ metadata }) => metadata.uid),
    refreshMs: config.timings.usageRefreshMs,
    ...{ clock, now },
    onFailure: (error) => logger.debug({ error }, 'usage: cannot read when flags were asked for'),
  });
  const lookups = createUsageLookups({ catalog, known, staleDays: config.staleDays, now });
  return { reader, known, lookups, usageConditions: lookups.conditionsOf };
}
