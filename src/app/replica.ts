/** The parts of a replica that follow the cluster: caches, catalog, history and election, without its servers. */

import type { Archive } from '../audit/archive/archive.ts';
import type { History } from '../audit/history.ts';
import { createCatalog } from '../catalog/catalog.ts';
import type { Config } from '../config/load-config.ts';
import { stampedTraceOf } from '../domain/identity/author.ts';
import type { Transport } from '../kube/api/transport.ts';
import type { Change } from '../kube/cache/partition.ts';
import type { Timings } from '../model/settings/timings.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import type { CallerWrites } from '../runtime/caller-writes.ts';
import { monotonicTime } from '../runtime/clock.ts';
import type { Term } from '../runtime/election.ts';
import { runAtMoments } from '../runtime/run-at-moments.ts';
import { nextTurn } from '../runtime/turns.ts';
import type { Health } from '../telemetry/health.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Tracing, untraced } from '../telemetry/tracing.ts';
import type { WiredAuditLog } from './audit-log.ts';
import { type Cluster, connectCluster } from './cluster.ts';
import { elect } from './election.ts';
import { type Wiring, wireHistory } from './history.ts';
import type { Machine } from './machine.ts';
import { type WiredClaims, wireNameClaims } from './name-claims.ts';
import { watchObserver } from './watch-observer.ts';

const WATCH_RETRY_MIN_MS = 1_000;

export interface ReplicaParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly transport: Transport;
  readonly archive: Archive;
  readonly callerWrites: CallerWrites;
  /** The identity of this process, different from that of any other. */
  readonly identity: string;
  readonly machine: Machine;
  readonly tracing: Tracing;
}

export interface Replica {
  /** What further parts are made from. */
  readonly wiring: Wiring;
  readonly names: WiredClaims;
  readonly history: History;
  readonly historyHealth: Readonly<Record<string, () => Health>>;
  /** Undefined: the audit log of the API server is no source. */
  readonly auditLog: WiredAuditLog | undefined;
  /** True once the caches have had their first list. */
  readonly isReady: () => boolean;
  /** Resolves once the caches have had their first list. */
  ready(signal: AbortSignal): Promise<void>;
  /** Fills the caches, and keeps them, until the signal aborts. */
  follow(signal: AbortSignal): readonly Promise<unknown>[];
  /**
   * Takes part in the election once the caches are filled, until the signal aborts: before that, projects would appear
   * to be missing.
   */
  compete(lead: (term: Term) => Promise<void>, signal: AbortSignal): Promise<void>;
}

export function wireReplica(parts: ReplicaParts): Replica {
  const { config, logger, metrics, transport, archive, callerWrites, identity, machine, tracing } = parts;
  const { clock, random, wallTime } = machine;
  const onFault = (error: unknown) => logger.error({ error }, 'cache: subscriber failed');
  const connection = {
    ...{ transport, clock, random },
    backoff: watchBackoff(config.timings, random),
    observe: watchObserver(logger, metrics),
    onFault,
  };
  const cluster = connectCluster(config, connection);
  const names = wireNameClaims({ config, logger, metrics, machine }, connection);
  const now = monotonicTime(wallTime);
  const catalog = createCatalog(cluster.caches, now, { home: config.namespace, claims: names.claims, onFault });
  traceChanges(cluster, tracing);
  const common = { config, transport, identity, logger, metrics, machine, tracing };
  const wiring: Wiring = { ...common, cluster, catalog, archive };
  const { history, health: historyHealth, auditLog } = wireHistory({ ...wiring, callerWrites });

  const ready = async (signal: AbortSignal) => {
    const synced = cluster.resources.map((resource) => resource.whenSynced(signal));
    await Promise.all([...synced, names.whenSynced(signal)]);
  };
  return {
    wiring,
    names,
    history,
    historyHealth,
    auditLog,
    isReady: latched(() => names.synced && cluster.resources.every(({ synced }) => synced)),
    ready,
    follow: (signal) => [
      cluster.run(signal),
      names.run(signal),
      runAtMoments({ moments: catalog.moments, clock, now, signal }),
    ],
    async compete(lead, signal) {
      await ready(signal);
      await prepareToJudge(wiring);
      await elect({ config, transport, identity, logger, machine, lead, signal });
    },
  };
}

/** The first list of a cache is no change. */
function traceChanges({ resources }: Cluster, tracing: Tracing): void {
  if (tracing === untraced) return;
  for (const { kind, subscribe, whenSynced } of resources) {
    const report = (change: Change<unknown, unknown>): void => {
      const cause = change.after && stampedTraceOf(change.after.metadata);
      tracing.changed({ ...change, kind: kind.kind, cause });
    };
    whenSynced().then(() => subscribe(report));
  }
}

function watchBackoff({ watchRetryMaxMs: capMs }: Timings, random: () => number) {
  return exponentialBackoff({ baseMs: Math.min(WATCH_RETRY_MIN_MS, capMs), capMs, random });
}

/**
 * Computes what is in effect of each flag, in turns of the event loop: to count the flags of a project, all are needed
 * at once.
 */
async function prepareToJudge({ cluster: { caches }, catalog, logger }: Wiring): Promise<void> {
  const { flags, projects } = caches;
  logger.info({ flags: flags.size, projects: projects.size }, 'cache: synced');
  for (const flag of flags.all()) {
    catalog.effectOf(flag);
    await nextTurn();
  }
}

/** True from the first time that `check` returns true; then `check` is not called again. */
function latched(check: () => boolean): () => boolean {
  let isTrue = false;
  return () => {
    isTrue ||= check();
    return isTrue;
  };
}
