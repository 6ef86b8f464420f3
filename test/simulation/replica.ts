/** A replica of the operator inside the simulation: all of it but its servers. */

import type { Cluster } from '../../src/app/cluster.ts';
import { createLeader } from '../../src/app/leader.ts';
import { createPlatform, type Platform } from '../../src/app/platform.ts';
import { type Replica, wireReplica } from '../../src/app/replica.ts';
import { wireSinks } from '../../src/app/sinks.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createCatalogOrigin } from '../../src/delivery/catalog-origin.ts';
import { createFeeds, type Feeds } from '../../src/delivery/feeds.ts';
import { createSnapshots } from '../../src/delivery/snapshots.ts';
import { type AnyResource, mapKinds, type Resources } from '../../src/kinds/registry.ts';
import { createHighestIds } from '../../src/kube/api/highest-ids.ts';
import type { Call } from '../../src/kube/api/transport.ts';
import { countCallerWrites } from '../../src/runtime/caller-writes.ts';
import type { Term } from '../../src/runtime/election.ts';
import type { Logger } from '../../src/telemetry/logger.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { untraced } from '../../src/telemetry/tracing.ts';
import type { ApiServer } from './cluster/api-server.ts';
import type { SharedDatabase } from './database.ts';
import type { Faults } from './faults.ts';
import { createNetwork, type Network } from './network.ts';
import { type Actor, anActor, clockOf, type Schedule } from './schedule.ts';

export const HOME = 'flags';
/** Ms since 1970, at the start of the virtual time. */
export const EPOCH = Date.UTC(2026, 0, 1);

/** A namespace that some worlds watch as well. */
export const OTHER = 'flags-of-others';

const settings = { VEXIL_NAMESPACE: HOME, VEXIL_AUTH: 'none' };

export interface SimulatedReplica {
  readonly actor: Actor;
  readonly platform: Platform;
  readonly replica: Replica;
  readonly network: Network;
  readonly feeds: Feeds;
  /** The listeners to caches of its terms that are there now. */
  readonly termListeners: number;
  /** The terms in which it led, the last one last. */
  readonly terms: readonly Term[];
  /** Aborts when it stops. */
  readonly signal: AbortSignal;
  readonly isStopping: boolean;
  readonly hasStopped: boolean;
  /** Stops in order, as after SIGTERM. */
  stop(): void;
  /** Ends at once, as after SIGKILL. */
  kill(): void;
}

export interface ReplicaParts {
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly server: ApiServer;
  readonly database: SharedDatabase;
  readonly name: string;
  /** The watched ones. */
  readonly namespaces: readonly string[];
  readonly pageSize: number;
  /** Receives each request that leaves the process. */
  readonly onSend: (call: Call) => void;
  /** Receives what is logged as an error or a warning. */
  readonly onLog: (level: 'error' | 'warn', line: string) => void;
}

export function startReplica(started: ReplicaParts): SimulatedReplica {
  const { schedule, faults, server, database, name, namespaces, pageSize, onSend, onLog } = started;
  const config = loadConfig({ ...settings, VEXIL_WATCH_NAMESPACES: namespaces.join(',') });
  const actor = anActor(name);
  const ending = new AbortController();
  const network = createNetwork({ schedule, server, actor, faults, pageSize, onSend });
  const machine = {
    clock: clockOf(schedule, actor),
    suspendAwareClock: clockOf(schedule, actor, 1 + (schedule.random() - 0.5) / 50),
    wallTime: () => EPOCH + schedule.now(),
    random: schedule.random,
  };
  const platform = createPlatform({
    config,
    logger: loggerFor(onLog),
    metrics: createMetrics(),
    tracing: untraced,
    machine,
    transport: network,
    database: database.connect(actor),
    identity: name,
    callerWrites: countCallerWrites(),
  });
  const replica = wireReplica(platform);
  const { history } = replica;
  const subscriptions = countSubscriptions(platform.cluster);
  const lead = createLeader(
    { ...platform, cluster: subscriptions.cluster },
    {
      history,
      highestIds: createHighestIds(network, { namespace: HOME, name: 'vexil-ids' }),
      reviews: { allows: async () => true },
      usage: { lead: async () => undefined },
      usageConditions: () => [],
      sinks: wireSinks(platform, history),
    },
  );
  const terms: Term[] = [];
  const origin = createCatalogOrigin(platform.catalog);
  const snapshots = createSnapshots(origin);
  let hasStopped = false;
  const work = Promise.all([
    ...replica.follow(ending.signal),
    replica.compete((term) => {
      terms.push(term);
      return lead(term);
    }, ending.signal),
  ]);
  work.then(
    () => {
      hasStopped = true;
    },
    (error: unknown) => {
      if (ending.signal.aborted) hasStopped = true;
      else onLog('error', `${name} crashed: ${error instanceof Error ? error.stack : error}`);
    },
  );
  return {
    actor,
    platform,
    replica,
    network,
    feeds: createFeeds({ origin, snapshots, idPrefix: name.replaceAll('-', '') }),
    terms,
    signal: ending.signal,
    get termListeners() {
      return subscriptions.count;
    },
    get isStopping() {
      return ending.signal.aborted;
    },
    get hasStopped() {
      return hasStopped;
    },
    stop: () => ending.abort(new Error('The operator is stopping')),
    kill() {
      actor.isKilled = true;
      network.abandon();
    },
  };
}

interface CountedSubscriptions {
  readonly cluster: Cluster;
  readonly count: number;
}

/** Counts the listeners to the caches of this cluster. */
function countSubscriptions(cluster: Cluster): CountedSubscriptions {
  let count = 0;
  const counting = <T extends object & { subscribe(listener: never): () => void }>(cache: T): T =>
    Object.create(cache, {
      subscribe: {
        value(listener: never) {
          const stop = cache.subscribe(listener);
          count += 1;
          return () => {
            count -= 1;
            stop();
          };
        },
      },
    });
  const caches = mapKinds<Resources>((_, name) => counting<AnyResource>(cluster.caches[name] as AnyResource));
  return {
    cluster: { ...cluster, caches },
    get count() {
      return count;
    },
  };
}

function loggerFor(onLog: ReplicaParts['onLog']): Logger {
  const write = (level: 'error' | 'warn') => (facts: Readonly<Record<string, unknown>>, message: string) => {
    const { error } = facts;
    const why = level === 'error' && error instanceof Error ? error.stack : `${error ?? JSON.stringify(facts)}`;
    onLog(level, `${message}: ${why}`);
  };
  const ignore = () => undefined;
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    warn: write('warn'),
    error: write('error'),
    child: () => logger,
  };
  return logger;
}
