/** The wiring of the claims to names that every replica follows. */
import { type NameClaims, noClaims } from '../catalog/cached.ts';
import { createNameClaims, type NameClaimStore } from '../catalog/name-claim-store.ts';
import type { Config } from '../config/load-config.ts';
import { CLAIM_SHARDS } from '../domain/name-claims/claim-shards.ts';
import { createWatchedConfigMap, type WatchedConfigMap } from '../kube/cache/config-maps.ts';
import type { Connection } from '../kube/connected-kind.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/**
 * Prefix of the names of the ConfigMaps in the operator namespace, followed by a number; config/rbac names them too.
 */
export const CLAIMS_CONFIG_MAP = 'vexil-names-';

export interface WiredClaims {
  readonly claims: NameClaims;
  /** What the leader writes; undefined: no names are claimed. */
  readonly stored: StoredClaims | undefined;
  readonly synced: boolean;
  /** Resolves once all claims are known; throws the reason of the signal if that comes first. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface StoredClaims {
  readonly store: NameClaimStore;
  /** One for each shard. */
  readonly configMaps: readonly WatchedConfigMap[];
}

const nothingToClaim: WiredClaims = {
  claims: noClaims,
  stored: undefined,
  synced: true,
  whenSynced: async () => undefined,
  run: async () => undefined,
};

/** If one namespace is watched, no names are claimed: none can be in another namespace. */
export function wireNameClaims(
  { namespace, watchNamespaces }: Config,
  metrics: Metrics,
  connection: Omit<Connection, 'isProtected'>,
): WiredClaims {
  if (watchNamespaces !== '*' && watchNamespaces.length === 1) return nothingToClaim;
  const store = createNameClaims(connection.onFault);
  const configMaps = Array.from({ length: CLAIM_SHARDS }, (_, index) => {
    const ref = { namespace, name: `${CLAIMS_CONFIG_MAP}${index}` };
    return createWatchedConfigMap({
      ...connection,
      ref,
      observe: (notice) => connection.observe(`ConfigMap/${ref.name}`, namespace, notice),
      onData: (data) => store.take(index, data),
    });
  });
  let synced = false;
  const sync = Promise.all(configMaps.map(({ whenSynced }) => whenSynced)).then(() => {
    synced = true;
  });
  metrics.measure('vexil_name_claims', 'Names of projects, flags and segments that belong to a namespace.', () => [
    { labels: {}, value: store.size },
  ]);
  return {
    claims: store,
    stored: { store, configMaps },
    get synced() {
      return synced;
    },
    whenSynced: (signal) => Promise.race([sync, rejectedBy(signal)]),
    run: async (signal) => void (await Promise.all(configMaps.map(({ run }) => run(signal)))),
  };
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
