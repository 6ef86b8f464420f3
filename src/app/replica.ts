/** The work of a replica on the cluster: following it, its history and the election, without the servers. */

import type { History } from '../audit/history.ts';
import { stampedTraceOf } from '../domain/identity/author.ts';
import type { Change } from '../kube/cache/partition.ts';
import type { Term } from '../runtime/election.ts';
import { runAtMoments } from '../runtime/run-at-moments.ts';
import { nextTurn } from '../runtime/turns.ts';
import type { Health } from '../telemetry/health.ts';
import { untraced } from '../telemetry/tracing.ts';
import type { WiredAuditLog } from './audit-log.ts';
import { elect } from './election.ts';
import { wireHistory } from './history.ts';
import type { Platform } from './platform.ts';

export interface Replica {
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

export function wireReplica(platform: Platform): Replica {
  const { cluster, names, catalog, machine } = platform;
  traceChanges(platform);
  const { history, health: historyHealth, auditLog } = wireHistory(platform);

  const ready = async (signal: AbortSignal) => {
    const synced = cluster.resources.map((resource) => resource.whenSynced(signal));
    await Promise.all([...synced, names.whenSynced(signal)]);
  };
  return {
    history,
    historyHealth,
    auditLog,
    isReady: latched(() => names.synced && cluster.resources.every(({ synced }) => synced)),
    ready,
    follow: (signal) => [
      cluster.run(signal),
      names.run(signal),
      runAtMoments({ moments: catalog.moments, clock: machine.clock, now: catalog.now, signal }),
    ],
    async compete(lead, signal) {
      await ready(signal);
      await prepareToJudge(platform);
      await elect(platform, lead, signal);
    },
  };
}

/** The first list of a cache is no change. */
function traceChanges({ cluster: { resources }, tracing }: Platform): void {
  if (tracing === untraced) return;
  for (const { kind, subscribe, whenSynced } of resources) {
    const report = (change: Change<unknown, unknown>): void => {
      const cause = change.after && stampedTraceOf(change.after.metadata);
      tracing.changed({ ...change, kind: kind.kind, cause });
    };
    whenSynced().then(() => subscribe(report));
  }
}

/**
 * Computes what is in effect of each flag, in turns of the event loop: to count the flags of a project, all are needed
 * at once.
 */
async function prepareToJudge({ cluster: { caches }, catalog, logger }: Platform): Promise<void> {
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
