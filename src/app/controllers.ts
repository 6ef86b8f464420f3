/** The controllers of all kinds, fenced by the term in which they run. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { History } from '../audit/history.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Config } from '../config/load-config.ts';
import { retentionStamp } from '../domain/identity/author.ts';
import { ClusterError, isClusterError, Refusal } from '../errors.ts';
import type { JudgeParts, TermResource, TermResources } from '../kinds/definition.ts';
import { createIds, type HighestIdsKept } from '../kinds/integer-ids.ts';
import { type Publish, reconciler } from '../kinds/reconciler.ts';
import { type AnyResource, mapKinds } from '../kinds/registry.ts';
import { createEvents } from '../kube/api/events.ts';
import type { HighestIds, HighestIdsClient } from '../kube/api/highest-ids.ts';
import type { Reviews } from '../kube/api/reviews.ts';
import { createSecrets, type SecretsClient } from '../kube/api/secrets.ts';
import type { Transport } from '../kube/api/transport.ts';
import type { Resource } from '../kube/write/resource.ts';
import type { Kind } from '../model/kind.ts';
import { type ObjectMetadata, type Ref, refOf } from '../model/object.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import { type CallerWrites, throttleForCallers } from '../runtime/caller-writes.ts';
import { type Controller, createController } from '../runtime/controller.ts';
import type { Term } from '../runtime/election.ts';
import type { Outcome } from '../runtime/outcome.ts';
import { createTokenBucket } from '../runtime/token-bucket.ts';
import type { KindName } from '../schema/kinds.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { Cluster } from './cluster.ts';
import type { Machine } from './machine.ts';
import type { WiredSinks } from './sinks.ts';

const RETRY_BACKOFF = { baseMs: 100, capMs: 60_000 };

/** The API server keeps Events for an hour: a restored cluster of 50,000 flags must not fill etcd with them. */
const TRANSITION_EVENTS = { burst: 1000, perSecond: 10 };

/** The key of a Secret that holds the value of an API token. */
export const TOKEN_KEY = 'token';
const TOKEN_RANDOM_BYTES = 28;

export interface ControllersParts {
  readonly cluster: Cluster;
  readonly catalog: Catalog;
  readonly highestIds: HighestIdsClient;
  readonly transport: Transport;
  readonly reviews: Pick<Reviews, 'allows'>;
  readonly identity: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly usageConditions: JudgeParts['usageConditions'];
  readonly sinks: Pick<WiredSinks, 'judgeParts'>;
  readonly history: Pick<History, 'recordedUntil'>;
  readonly config: Pick<Config, 'changeRequestRetentionMs'>;
  readonly callerWrites: CallerWrites;
  readonly machine: Machine;
  readonly tracing: Pick<Tracing, 'reconcile'>;
}

export type Controllers = Readonly<Record<KindName, Controller>>;

/** One controller for each kind, fenced by the term. */
export function controllersOf(leader: ControllersParts, term: Term): Controllers {
  const { cluster, catalog, highestIds, transport, usageConditions, config, history } = leader;
  const { now } = catalog;
  const resources = mapKinds<TermResources>((_, name) => fence(cluster.caches[name] as AnyResource, { term, now }));
  const publishes = publisher(leader, term.signal);
  const parts = {
    catalog,
    resources,
    usageConditions,
    ids: createIds({ kept: fenceHighestIds(highestIds, term), highestIds: catalog.highestIds }),
    secrets: fenceSecrets(createSecrets(transport, TOKEN_KEY), term),
    allows: leader.reviews.allows,
    sinks: leader.sinks.judgeParts,
    requests: { retentionMs: config.changeRequestRetentionMs, recordedUntil: () => history.recordedUntil },
    newDigits: () => randomBytes(TOKEN_RANDOM_BYTES).toString('hex'),
    now,
  };
  return mapKinds<Controllers>((definition, name) => {
    const { kind } = definition.kind;
    const run = reconciler({ resource: resources[name], judge: definition.judge(parts), publish: publishes(kind) });
    const reconcile: typeof run = (ref, logger) =>
      leader.tracing.reconcile({ kind, object: resources[name].get(ref) }, () => run(ref, logger));
    return controllerOf(leader, term, { ...definition, reconcile });
  });
}

interface Reconciled {
  readonly kind: Kind<unknown, unknown>;
  readonly concurrency: number;
  readonly reconcile: (ref: Ref, logger: Logger) => Promise<Outcome>;
}

function controllerOf(
  { logger, metrics, callerWrites, machine }: ControllersParts,
  term: Term,
  { kind: { kind }, concurrency, reconcile }: Reconciled,
): Controller {
  return createController({
    clock: machine.clock,
    backoff: exponentialBackoff({ ...RETRY_BACKOFF, random: machine.random }),
    observer: metrics.queueOf(kind),
    concurrency,
    maxRunning: throttleForCallers(callerWrites),
    loggerOf: (key, reason) =>
      logger.child({ kind, ...refOf(key), reconcileId: newReconcileId(), reconcileReason: reason }),
    reconcile: async (key, runLogger) => {
      const end = metrics.reconciles.startTimer({ kind });
      try {
        const outcome = await reconcile(refOf(key), runLogger);
        end({ result: 'success' });
        return outcome;
      } catch (error) {
        end({ result: 'error' });
        throw error;
      }
    },
    onError: ({ error, failures, inMs, logger: runLogger }) => {
      runLogger[levelOf(error, term)]({ error, failures, inMs }, 'reconcile: failed');
    },
  });
}

/** A process that was paused for longer than its lease must not complete a write that it decided on before. */
function fence<S, T>(
  resource: Resource<S, T, 'wireName'>,
  { term, now }: { readonly term: Term; readonly now: () => number },
): TermResource<S, T> {
  const { get, by, all, subscribe, ownedIn } = resource;
  const { signal } = term;
  const beforeSend = async () => requireCurrent(term);
  return {
    ...{ get, by, all, subscribe, ownedIn },
    live: (ref: Ref) => resource.live(ref, signal),
    applyStatus: (object, status) => resource.applyStatus(object, status, { signal, beforeSend }),
    change: (ref, edit, options) => resource.change(ref, edit, { ...options, signal, beforeSend }),
    remove: (object, reason) =>
      resource.delete(object, {
        expect: ({ metadata }) => requireVersion(metadata, object.metadata),
        stamp: () => retentionStamp(reason, now()),
        signal,
        beforeSend,
      }),
  };
}

/** A new version is judged again. */
function requireVersion({ resourceVersion }: ObjectMetadata, judged: ObjectMetadata): void {
  if (resourceVersion !== judged.resourceVersion) throw new ClusterError('conflict', 'it was written meanwhile');
}

function fenceSecrets({ read, create }: SecretsClient, term: Term): SecretsClient {
  return {
    read: (ref) => read(ref, term.signal),
    create: async (secret) => {
      requireCurrent(term);
      return create(secret, term.signal);
    },
  };
}

function fenceHighestIds({ read, write }: HighestIdsClient, term: Term): HighestIdsKept<HighestIds> {
  return {
    read: () => read(term.signal),
    write: async (highest, over) => {
      requireCurrent(term);
      return write(highest, over, term.signal);
    },
  };
}

/** Throws Refusal `unavailable` after the end of the term. */
export function requireCurrent(term: Term): void {
  if (!term.isCurrent()) throw new Refusal('unavailable', 'This replica is not the leader any more');
}

/** Publishes Events about objects of a kind. An Event that cannot be published delays nothing. */
export function publisher(
  { transport, identity, metrics, machine }: Pick<ControllersParts, 'transport' | 'identity' | 'metrics' | 'machine'>,
  signal: AbortSignal,
) {
  const mayPublish = createTokenBucket({ clock: machine.clock, ...TRANSITION_EVENTS });
  const mayRepeat = () => {
    const may = mayPublish();
    if (!may) metrics.eventsDropped.inc();
    return may;
  };
  const publish = createEvents({ transport, instance: identity, now: machine.wallTime, mayRepeat });
  return (kind: string): Publish<unknown, unknown> =>
    (object, content, logger) =>
      publish({ kind, object, content, signal }).catch((error: unknown) =>
        logger.warn({ error, reason: content.reason }, 'ready events: cannot publish Event'),
      );
}

/** Distinguishes the log lines of one run from those of all others. */
export function newReconcileId(): string {
  return randomUUID().slice(0, 8);
}

/** A concurrent write or deletion enqueues the key again by itself, and the end of the term ends every run. */
function levelOf(error: unknown, term: Term): 'debug' | 'warn' | 'error' {
  if (!term.isCurrent() || isClusterError(error, 'conflict', 'not-found')) return 'debug';
  return isClusterError(error, 'missing-permission') ? 'error' : 'warn';
}
