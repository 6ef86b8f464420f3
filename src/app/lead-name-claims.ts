/** The work of the leader on the claims to names: it writes them. */
import { type ClaimShard, enqueueNameClaims, nameClaimsReconciler } from '../kinds/name-claims.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import { type Controller, type ControllerParts, createController } from '../runtime/controller.ts';
import type { Term } from '../runtime/election.ts';
import { fenceOf } from './fence.ts';
import { CLAIMS_CONFIG_MAP, type StoredClaims } from './name-claims.ts';
import type { Platform } from './platform.ts';
import { reconcileLogger } from './reconcile-logger.ts';

const KIND = 'ConfigMap';
const RETRY_BACKOFF = { baseMs: 200, capMs: 60_000 };

/** Writes claims for as long as the term lasts. */
export async function leadNameClaims(platform: Platform, term: Term): Promise<void> {
  const { config, logger, cluster, names, machine } = platform;
  if (!names.stored) return;
  const { flags: featureflags, projects, segments } = cluster.caches;
  const parts = {
    caches: { featureflags, projects, segments },
    shards: shardsOf(names.stored, term),
    tenureMs: config.nameTenureMs,
    claimDelayMs: config.timings.claimDelayMs,
    now: machine.wallTime,
    onFull: (count: number) =>
      logger.error({ names: count }, 'name claims: a ConfigMap is full, so some names are not claimed'),
  };
  const controller = controllerOf(platform, term, nameClaimsReconciler(parts));
  const stop = enqueueNameClaims({ ...parts, onShard: names.stored.store.onShard }, controller.queue);
  await controller.run(term.signal);
  stop();
}

function shardsOf({ store, configMaps }: StoredClaims, term: Term): readonly ClaimShard[] {
  return configMaps.map((configMap, index) => ({
    get claims() {
      return store.shard(index);
    },
    get data() {
      return configMap.data;
    },
    write: (data) => configMap.write(data, fenceOf(term)),
  }));
}

function controllerOf(
  { config: { namespace }, logger, metrics, machine }: Platform,
  term: Term,
  reconcile: ControllerParts['reconcile'],
): Controller {
  return createController({
    clock: machine.clock,
    backoff: exponentialBackoff({ ...RETRY_BACKOFF, random: machine.random }),
    observer: metrics.queueOf(KIND),
    concurrency: 1,
    loggerOf: (key, reason) =>
      reconcileLogger(logger, { kind: KIND, namespace, name: `${CLAIMS_CONFIG_MAP}${key}`, reason }),
    reconcile,
    onError: ({ error, failures, inMs, logger: runLogger }) => {
      if (term.isCurrent()) runLogger.warn({ error, failures, inMs }, 'name claims: write failed');
    },
  });
}
