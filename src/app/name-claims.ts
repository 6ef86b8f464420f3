/** The wiring of the claims to names: every replica watches them, the leader writes them. */
import { type NameClaims, noClaims } from '../catalog/cached.ts';
import { createNameClaims } from '../catalog/name-claim-store.ts';
import type { Config } from '../config/load-config.ts';
import { CLAIM_SHARDS } from '../domain/name-claims/claim-shards.ts';
import { type ClaimShard, enqueueNameClaims, nameClaimsReconciler } from '../kinds/name-claims.ts';
import { createWatchedConfigMap } from '../kube/cache/config-maps.ts';
import type { Connection } from '../kube/connected-kind.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import { createController } from '../runtime/controller.ts';
import type { Term } from '../runtime/election.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Cluster } from './cluster.ts';
import { newReconcileId, requireCurrent } from './controllers.ts';
import type { Machine } from './machine.ts';

/**
 * Prefix of the names of the ConfigMaps in the operator namespace, followed by a number; config/rbac names them too.
 */
const CLAIMS_CONFIG_MAP = 'vexil-names-';
const KIND = 'ConfigMap';

const RETRY_BACKOFF = { baseMs: 200, capMs: 60_000 };

interface ClaimsParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly machine: Machine;
}

export interface WiredClaims {
  readonly claims: NameClaims;
  readonly synced: boolean;
  /** Resolves once all claims are known; throws the reason of the signal if that comes first. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Writes for as long as the term lasts. */
  lead(term: Term, caches: Cluster['caches']): Promise<void>;
}

const nothingToClaim: WiredClaims = {
  claims: noClaims,
  synced: true,
  whenSynced: async () => undefined,
  run: async () => undefined,
  lead: async () => undefined,
};

/** If one namespace is watched, no names are claimed: none can be in another namespace. */
export function wireNameClaims(parts: ClaimsParts, connection: Omit<Connection, 'isProtected'>): WiredClaims {
  const { namespace, watchNamespaces } = parts.config;
  if (watchNamespaces !== '*' && watchNamespaces.length === 1) return nothingToClaim;
  const store = createNameClaims(connection.onFault);
  const configMaps = Array.from({ length: CLAIM_SHARDS }, (_, index) => {
    const ref = { namespace, name: `${CLAIMS_CONFIG_MAP}${index}` };
    return createWatchedConfigMap({
      ...connection,
      ref,
      observe: (notice) => connection.observe(`${KIND}/${ref.name}`, namespace, notice),
      onData: (data) => store.take(index, data),
    });
  });
  let synced = false;
  const sync = Promise.all(configMaps.map(({ whenSynced }) => whenSynced)).then(() => {
    synced = true;
  });
  parts.metrics.measure(
    'vexil_name_claims',
    'Names of projects, flags and segments that belong to a namespace.',
    () => [{ labels: {}, value: store.size }],
  );
  return {
    claims: store,
    get synced() {
      return synced;
    },
    whenSynced: (signal) => Promise.race([sync, rejectedBy(signal)]),
    run: async (signal) => void (await Promise.all(configMaps.map(({ run }) => run(signal)))),
    lead: (term, caches) => lead({ ...parts, store, configMaps, caches }, term),
  };
}

interface LeadParts extends ClaimsParts {
  readonly store: ReturnType<typeof createNameClaims>;
  readonly configMaps: readonly ReturnType<typeof createWatchedConfigMap>[];
  readonly caches: Cluster['caches'];
}

async function lead(leading: LeadParts, term: Term): Promise<void> {
  const { config, logger, metrics, machine, store, configMaps, caches } = leading;
  const shards = configMaps.map(
    (configMap, index): ClaimShard => ({
      get claims() {
        return store.shard(index);
      },
      get data() {
        return configMap.data;
      },
      write(data) {
        requireCurrent(term);
        return configMap.write(data, term.signal);
      },
    }),
  );
  const parts = {
    caches: { featureflags: caches.flags, projects: caches.projects, segments: caches.segments },
    shards,
    tenureMs: config.nameTenureMs,
    claimDelayMs: config.timings.claimDelayMs,
    now: machine.wallTime,
    onFull: (names: number) =>
      logger.error({ names }, 'name claims: a ConfigMap is full, so some names are not claimed'),
  };
  const controller = createController({
    clock: machine.clock,
    backoff: exponentialBackoff({ ...RETRY_BACKOFF, random: machine.random }),
    observer: metrics.queueOf(KIND),
    concurrency: 1,
    loggerOf: (key, reason) =>
      logger.child({
        kind: KIND,
        namespace: config.namespace,
        name: `${CLAIMS_CONFIG_MAP}${key}`,
        reconcileId: newReconcileId(),
        reconcileReason: reason,
      }),
    reconcile: nameClaimsReconciler(parts),
    onError: ({ error, failures, inMs, logger }) => {
      if (!term.isCurrent()) return;
      logger.warn({ error, failures, inMs }, 'name claims: write failed');
    },
  });
  const stop = enqueueNameClaims({ ...parts, onShard: store.onShard }, controller.queue);
  await controller.run(term.signal);
  stop();
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
