/** Wires every part from a Config; returns how to start and stop them. */
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { createOidcProvider, type OidcProvider } from './access/sessions/oidc-provider.ts';
import { announceKeys, type Identities, prepareIdentities } from './access/sessions/prepare-identities.ts';
import { SESSION_KEY_BYTES } from './access/sessions/seal.ts';
import { createSessionKeys, type SessionKeys } from './access/sessions/session-keys.ts';
import { measureCaches } from './app/cluster.ts';
import { publisher, TOKEN_KEY } from './app/controllers.ts';
import { wireForgettings } from './app/forgetting.ts';
import { createLeader } from './app/leader.ts';
import type { Machine } from './app/machine.ts';
import { createPastCatalog, placeOfVersions } from './app/past-catalog.ts';
import { createPlatform, type Platform } from './app/platform.ts';
import { PROGRAM, programMetrics } from './app/program.ts';
import { wireReplica } from './app/replica.ts';
import { wireSinks } from './app/sinks.ts';
import { type WiredUsageLookups, wireUsage, wireUsageLookups } from './app/usage.ts';
import { openDatabase } from './audit/archive/open-archive.ts';
import type { Connected } from './audit/archive/reconnect.ts';
import { readSigningKey } from './audit/record/signing-key.ts';
import type { Config } from './config/load-config.ts';
import { createApi } from './http/api.ts';
import { sdkObserver, streamObserver } from './http/observe-sdks.ts';
import { tlsObserver } from './http/observe-tls.ts';
import type { Memory } from './http/server/body/memory-left.ts';
import { type Arrivals, followArrivals } from './http/server/socket/arrivals.ts';
import type { Listener } from './http/server/socket/listen.ts';
import { createHighestIds } from './kube/api/highest-ids.ts';
import { loadKubeConfig } from './kube/api/kubeconfig.ts';
import { createReviews } from './kube/api/reviews.ts';
import { createSecrets } from './kube/api/secrets.ts';
import { connect, type Transport } from './kube/api/transport.ts';
import { createSeenAt } from './kube/write/seen-at.ts';
import { throwUncaught } from './model/listeners.ts';
import { countCallerWrites } from './runtime/caller-writes.ts';
import { createHealthServer, type Health } from './telemetry/health.ts';
import type { Logger } from './telemetry/logger.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Tracing } from './telemetry/tracing.ts';
import type { Reports } from './usage/reports.ts';

export interface App {
  /** Resolves when all ports listen; the caches may still be filling. */
  start(): Promise<Ports>;
  /** Resolves once the caches have had their first list. */
  ready(): Promise<void>;
  /** Ends the running work in order; resolves when nothing runs any more. */
  stop(): Promise<void>;
}

interface Ports {
  readonly httpPort: number;
  readonly opsPort: number;
  /** Absent: the audit log of the API server is not received. */
  readonly auditLogPort?: number;
}

/** The name of the Secret in the operator namespace. */
const SESSION_KEYS_NAME = 'vexil-session-keys';
/** The name of the ConfigMap in the operator namespace; config/rbac names it too. */
const HIGHEST_IDS_NAME = 'vexil-ids';

export interface Runtime {
  readonly nodeVersion: string;
  readonly memory: () => Memory;
  readonly machine: Machine;
  readonly tracing: Tracing;
}

export function createApp(config: Config, logger: Logger, { nodeVersion, memory, machine, tracing }: Runtime): App {
  const ending = new AbortController();
  const metrics = programMetrics(nodeVersion, logger);
  const arrivals = followArrivals(machine.suspendAwareClock.now, ending.signal);
  const transport = connectApiServer(config, metrics, tracing);
  const platform = createPlatform({
    config,
    logger,
    metrics,
    tracing,
    machine,
    transport,
    database: openDatabaseOf(config, logger),
    identity: `${hostname()}_${randomUUID()}`,
    callerWrites: countCallerWrites(),
  });
  const replica = wireReplica(platform);
  const { history, isReady } = replica;
  const usage = wireUsage(platform);
  const lookups = wireUsageLookups(platform, usage.usage);
  const identities = wireIdentities(config, transport, logger);
  const { reports } = usage;
  const api = wireApi(platform, { identities, arrivals, reports, lookups, isReady, memory, signal: ending.signal });
  const receiver = replica.auditLog?.receiver;
  const checks = { ...checksOf(platform, ending.signal), ...replica.historyHealth };
  const health = createHealthServer({ ...opsSettings(config), checks, metrics: metrics.page });
  measureReadiness(checks, metrics);
  const lead = createLeader(platform, {
    history,
    highestIds: createHighestIds(transport, { namespace: config.namespace, name: HIGHEST_IDS_NAME }),
    reviews: identities.reviews,
    usage,
    usageConditions: lookups.usageConditions,
    sinks: wireSinks(platform, history),
  });
  measureCaches(platform.cluster, metrics);

  const ready = () => replica.ready(ending.signal);
  const compete = async () => {
    await ready();
    await Promise.all([lookups.known.run(ending.signal), replica.compete(lead, ending.signal)]);
  };
  const crash = crashUnless(ending.signal, logger);
  let work: Promise<unknown> = Promise.resolve();

  return {
    ready,
    async start() {
      await checkSigningKey(config);
      const opsPort = await health.start();
      const httpPort = await api.start();
      const auditLogPort = await receiver?.start();
      prepareIdentities(config.auth, identities, logger).catch(crash);
      const following = replica.follow(ending.signal).map((watch) => watch.catch(crash));
      usage.usage.run(ending.signal).catch(crash);
      replica.auditLog?.run(ending.signal).catch(crash);
      work = Promise.all([...following, compete().catch(crash)]);
      return { httpPort, opsPort, ...(auditLogPort !== undefined && { auditLogPort }) };
    },
    async stop() {
      // The lease is given back while requests are still being answered: writes of specs need no leader.
      ending.abort(new Error('The operator is stopping'));
      await Promise.all([api.stop(), receiver?.stop()]);
      await Promise.all([work, usage.stop()]);
      await health.stop();
      await platform.database.close();
      await tracing.stop();
      transport.close();
    },
  };
}

/** A wrong key must not be found an hour later. */
async function checkSigningKey({ historySigning }: Config): Promise<void> {
  if (historySigning !== undefined) await readSigningKey(historySigning.keyFile);
}

function openDatabaseOf({ audit }: Config, logger: Logger): Connected {
  return openDatabase(audit.url, {
    notice: (reason) => logger.warn({ reason }, 'audit archive: optional feature unavailable'),
  });
}

function connectApiServer({ kubeconfig, timings }: Config, metrics: Metrics, tracing: Tracing): Transport {
  return connect(loadKubeConfig(kubeconfig), {
    timeoutMs: timings.apiServerTimeoutMs,
    observe(call) {
      const { method, resource, status, durationMs } = call;
      metrics.kubeRequests.observe({ method, resource, status }, durationMs / 1000);
      tracing.called(call);
    },
  });
}

function wireIdentities(config: Config, transport: Transport, logger: Logger): Identities {
  return {
    reviews: createReviews(transport, config.timings.reviewTimeoutMs),
    sessionKeys: config.console ? keysOfSessions(config, transport, logger) : undefined,
  };
}

/** What the API needs beside the platform. */
interface ApiWiring {
  readonly identities: Identities;
  readonly arrivals: Arrivals;
  readonly reports: Reports;
  readonly lookups: WiredUsageLookups;
  readonly isReady: () => boolean;
  readonly memory: () => Memory;
  /** Aborts when this replica stops. */
  readonly signal: AbortSignal;
}

function wireApi(platform: Platform, wiring: ApiWiring): Listener {
  const { config, cluster, catalog, archive, transport, callerWrites, machine, logger, metrics, tracing } = platform;
  const { identities, arrivals, reports, isReady, memory, signal } = wiring;
  const { reader, known, lookups } = wiring.lookups;
  const { flags, tokens, sinks } = cluster.caches;
  const publish = publisher(platform, signal)(flags.kind.kind);
  return createApi({
    ...{ config, catalog, arrivals, reports, callerWrites, isReady, memory, logger, tracing },
    reviews: identities.reviews,
    version: PROGRAM.version,
    resources: cluster.caches,
    history: archive,
    forgetting: wireForgettings(platform),
    past: {
      archive,
      makeCatalog: createPastCatalog({ catalog, home: config.namespace, tenureMs: config.nameTenureMs }),
      places: cluster.places.flatMap(placeOfVersions),
    },
    usage: { reader, known, lookups },
    sinks,
    secrets: createSecrets(transport, TOKEN_KEY),
    publishEvent: (flag, content) => publish(flag, content, logger),
    markSeen: createSeenAt({ kind: tokens, now: machine.wallTime, logger, signal }),
    console: identities.sessionKeys && { keys: identities.sessionKeys, oidc: oidcOf(config) },
    isCutOff: cluster.isCutOff,
    clock: machine.clock,
    ending: signal,
    observe: {
      requests: ({ method, route, status, seconds }) =>
        metrics.httpRequests.observe({ method, route, status }, seconds),
      sdks: sdkObserver(metrics, tracing),
      changeStreams: streamObserver(metrics.changeStreams, metrics.changeStreamsClosed, tracing.deliveries('watchers')),
      tls: tlsObserver(logger, metrics),
    },
  });
}

function opsSettings({ opsPort, http }: Config) {
  return { port: opsPort, addressesOnly: http.localOnly };
}

function oidcOf({ oidc, timings: { reviewTimeoutMs: timeoutMs } }: Config): OidcProvider | undefined {
  return oidc && createOidcProvider({ settings: oidc, timeoutMs, now: Date.now });
}

function keysOfSessions({ namespace }: Config, transport: Transport, logger: Logger): SessionKeys {
  return createSessionKeys({
    secrets: createSecrets(transport, 'keys'),
    ref: { namespace, name: SESSION_KEYS_NAME },
    newKey: () => randomBytes(SESSION_KEY_BYTES),
    onKeys: announceKeys(logger),
    now: () => performance.now(),
    pause: (ms) => setTimeout(ms, undefined, { ref: false }),
  });
}

/** Watches, elections and workers retry failures of the cluster: this error is a bug, and must end the process. */
function crashUnless(ending: AbortSignal, logger: Logger) {
  return (error: unknown): void => {
    if (ending.aborted) return;
    logger.error({ error }, 'app: background task failed, exiting');
    throwUncaught(error);
  };
}

function measureReadiness(checks: Readonly<Record<string, () => Health>>, metrics: Metrics): void {
  const isReady = () => Object.values(checks).every((check) => check().ok);
  metrics.measure('vexil_ready', '1 while `/readyz` answers 200.', () => [{ labels: {}, value: Number(isReady()) }]);
}

function checksOf({ cluster, names }: Platform, ending: AbortSignal) {
  const synced = cluster.resources.map((resource) => [
    `${resource.kind.plural}-synced`,
    () => ({ ok: resource.synced, detail: resource.synced ? `${resource.size} cached` : 'waiting for the first list' }),
  ]);
  const serving = () => ({ ok: !ending.aborted, detail: ending.aborted ? 'stopping' : 'serving' });
  const claims = () => ({
    ok: names.synced,
    detail: names.synced ? 'known' : 'waiting for the ConfigMaps vexil-names-*',
  });
  return { ...Object.fromEntries(synced), 'name-claims': claims, serving };
}
