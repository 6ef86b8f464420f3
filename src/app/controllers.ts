/** The controllers of all kinds, fenced by the term in which they run. */
import { randomBytes } from 'node:crypto';
import type { History } from '../audit/history.ts';
import { isClusterError } from '../errors.ts';
import type { JudgeParts, TermResources } from '../kinds/definition.ts';
import { createIds } from '../kinds/integer-ids.ts';
import { type Publish, reconciler } from '../kinds/reconciler.ts';
import { type AnyResource, mapKinds } from '../kinds/registry.ts';
import { createEvents } from '../kube/api/events.ts';
import type { HighestIdsClient } from '../kube/api/highest-ids.ts';
import type { Reviews } from '../kube/api/reviews.ts';
import { createSecrets } from '../kube/api/secrets.ts';
import type { Kind } from '../model/kind.ts';
import { type Ref, refOf } from '../model/object.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import { throttleForCallers } from '../runtime/caller-writes.ts';
import { type Controller, createController } from '../runtime/controller.ts';
import type { Term } from '../runtime/election.ts';
import type { Outcome } from '../runtime/outcome.ts';
import { createTokenBucket } from '../runtime/token-bucket.ts';
import type { KindName } from '../schema/kinds.ts';
import type { Logger } from '../telemetry/logger.ts';
import { fence, fenceHighestIds, fenceSecrets } from './fence.ts';
import type { Platform } from './platform.ts';
import { reconcileLogger } from './reconcile-logger.ts';
import type { WiredSinks } from './sinks.ts';

const RETRY_BACKOFF = { baseMs: 100, capMs: 60_000 };

/** The API server keeps Events for an hour: a restored cluster of 50,000 flags must not fill etcd with them. */
const TRANSITION_EVENTS = { burst: 1000, perSecond: 10 };

/** The key of a Secret that holds the value of an API token. */
export const TOKEN_KEY = 'token';
const TOKEN_RANDOM_BYTES = 28;

/** What the controllers of the leader need beside the platform. */
export interface ControllersParts {
  readonly highestIds: HighestIdsClient;
  readonly reviews: Pick<Reviews, 'allows'>;
  readonly usageConditions: JudgeParts['usageConditions'];
  readonly sinks: Pick<WiredSinks, 'judgeParts'>;
  readonly history: Pick<History, 'recordedUntil'>;
}

export type Controllers = Readonly<Record<KindName, Controller>>;

/** One controller for each kind, fenced by the term. */
export function controllersOf(platform: Platform, leading: ControllersParts, term: Term): Controllers {
  const { cluster, catalog, transport, config, tracing } = platform;
  const { highestIds, reviews, usageConditions, sinks, history } = leading;
  const { now } = catalog;
  const resources = mapKinds<TermResources>((_, name) => fence(cluster.caches[name] as AnyResource, { term, now }));
  const publishes = publisher(platform, term.signal);
  const parts = {
    catalog,
    resources,
    usageConditions,
    ids: createIds({ kept: fenceHighestIds(highestIds, term), highestIds: catalog.highestIds }),
    secrets: fenceSecrets(createSecrets(transport, TOKEN_KEY), term),
    allows: reviews.allows,
    sinks: sinks.judgeParts,
    requests: { retentionMs: config.changeRequestRetentionMs, recordedUntil: () => history.recordedUntil },
    newDigits: () => randomBytes(TOKEN_RANDOM_BYTES).toString('hex'),
    now,
  };
  return mapKinds<Controllers>((definition, name) => {
    const { kind } = definition.kind;
    const run = reconciler({ resource: resources[name], judge: definition.judge(parts), publish: publishes(kind) });
    const reconcile: typeof run = (ref, logger) =>
      tracing.reconcile({ kind, object: resources[name].get(ref) }, () => run(ref, logger));
    return controllerOf(platform, term, { ...definition, reconcile });
  });
}

interface Reconciled {
  readonly kind: Kind<unknown, unknown>;
  readonly concurrency: number;
  readonly reconcile: (ref: Ref, logger: Logger) => Promise<Outcome>;
}

function controllerOf(
  { logger, metrics, callerWrites, machine }: Platform,
  term: Term,
  { kind: { kind }, concurrency, reconcile }: Reconciled,
): Controller {
  return createController({
    clock: machine.clock,
    backoff: exponentialBackoff({ ...RETRY_BACKOFF, random: machine.random }),
    observer: metrics.queueOf(kind),
    concurrency,
    maxRunning: throttleForCallers(callerWrites),
    loggerOf: (key, reason) => reconcileLogger(logger, { kind, ...refOf(key), reason }),
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

/** Publishes Events about objects of a kind. An Event that cannot be published delays nothing. */
export function publisher({ transport, identity, metrics, machine }: Platform, signal: AbortSignal) {
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

/** A concurrent write or deletion enqueues the key again by itself, and the end of the term ends every run. */
function levelOf(error: unknown, term: Term): 'debug' | 'warn' | 'error' {
  if (!term.isCurrent() || isClusterError(error, 'conflict', 'not-found')) return 'debug';
  return isClusterError(error, 'missing-permission') ? 'error' : 'warn';
}
