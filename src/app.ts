/** Wiring: builds every part from a Config, and gives back how to start and stop them. */
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import manifest from '../package.json' with { type: 'json' };
import { createCatalog } from './catalog/catalog.ts';
import {
  environmentIndexes,
  flagIndexes,
  projectIndexes,
  roleIndexes,
  strategyIndexes,
  tokenIndexes,
  userIndexes,
} from './catalog/indexes.ts';
import type { Config } from './config/load-config.ts';
import { AppError, isAppError } from './errors.ts';
import { createApi } from './http/api.ts';
import { announceIdentities } from './http/identity/announce.ts';
import { type ConnectedKind, type Connection, connectKind, type KindPlace } from './kube/connected-kind.ts';
import { createEvents } from './kube/events.ts';
import { createIdMarks, type IdMarks, type IdMarksClient } from './kube/id-marks.ts';
import { loadKubeConfig } from './kube/kubeconfig.ts';
import { createLease } from './kube/lease.ts';
import type { Resource } from './kube/resource.ts';
import { createReviews } from './kube/reviews.ts';
import { createSecrets, type SecretsClient } from './kube/secrets.ts';
import { createSeenAt } from './kube/seen-at.ts';
import { connect, type Transport } from './kube/transport.ts';
import { watchObserver } from './kube/watch-observer.ts';
import { apiTokenReconciler } from './reconcilers/api-token.ts';
import type { Changeable } from './reconcilers/clone-writes.ts';
import { environmentReconciler } from './reconcilers/environment.ts';
import { environmentCloning } from './reconcilers/environment-clone.ts';
import { flagReconciler } from './reconcilers/flag.ts';
import { createIds, type MarksKept } from './reconcilers/ids.ts';
import { projectReconciler } from './reconcilers/project.ts';
import { roleReconciler } from './reconcilers/role.ts';
import type { Judged } from './reconcilers/status.ts';
import { strategyDefinitionReconciler } from './reconcilers/strategy-definition.ts';
import { userReconciler } from './reconcilers/user.ts';
import { wakeOnChanges } from './reconcilers/wake.ts';
import { exponentialBackoff } from './runtime/backoff.ts';
import { systemClock } from './runtime/clock.ts';
import { type Controller, createController } from './runtime/controller.ts';
import { LEASE_MS, runElection, type Term } from './runtime/election.ts';
import { electionLog } from './runtime/election-log.ts';
import type { Outcome } from './runtime/outcome.ts';
import { apiToken } from './schema/api-token.ts';
import { type Environment, environment } from './schema/environment.ts';
import type { News } from './schema/event.ts';
import { featureFlag } from './schema/feature-flag.ts';
import { flagRole } from './schema/flag-role.ts';
import { flagUser } from './schema/flag-user.ts';
import { type Ref, refOf } from './schema/object.ts';
import { project } from './schema/project.ts';
import { strategyDefinition } from './schema/strategy-definition.ts';
import { createHealthServer } from './telemetry/health.ts';
import type { Logger } from './telemetry/logger.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { timed } from './telemetry/timed.ts';

export interface App {
  /** Resolves when both ports listen; the caches may still be filling. */
  start(): Promise<{ readonly httpPort: number; readonly opsPort: number }>;
  /** Resolves once the caches have had their first list. */
  ready(): Promise<void>;
  /** Ends what is under way in order; resolves when nothing runs any more. */
  stop(): Promise<void>;
}

const watchBackoff = exponentialBackoff({ baseMs: 1_000, capMs: 30_000, random: Math.random });
const retryBackoff = exponentialBackoff({ baseMs: 100, capMs: 60_000, random: Math.random });

/** How many objects of a kind are judged at the same time. */
const FLAGS_AT_ONCE = 16;
/** Those that are given their ids at the same time share one write of the marks. */
const USERS_AT_ONCE = 16;
const OTHERS_AT_ONCE = 4;

/** The ConfigMap in home; config/rbac names it too. */
const ID_MARKS = 'vexil-ids';

/** The key of a Secret that holds the value of an API token. */
const TOKEN_KEY = 'token';
const TOKEN_RANDOM_BYTES = 28;

export function createApp(config: Config, logger: Logger): App {
  const ending = new AbortController();
  const metrics = createMetrics();
  const transport = connect(loadKubeConfig(config.kubeconfig), ({ method, resource, status, durationMs }) =>
    metrics.kubeRequests.observe({ method, resource, status }, durationMs / 1000),
  );
  const cluster = connectCluster(config, {
    transport,
    clock: systemClock,
    random: Math.random,
    backoff: watchBackoff,
    observe: watchObserver(logger, metrics),
    onFault: (error) => logger.error({ error }, 'a subscriber to a cache failed'),
  });
  const { caches } = cluster;
  const catalog = createCatalog(caches, Date.now);
  const reviews = createReviews(transport);
  const api = createApi({
    ...config,
    ...config.http,
    ...caches,
    catalog,
    version: manifest.version,
    severalNamespaces: config.watchNamespaces === '*' || config.watchNamespaces.length > 1,
    home: config.namespace,
    reviews,
    secrets: createSecrets(transport, TOKEN_KEY),
    markSeen: createSeenAt({ kind: caches.tokens, now: Date.now, logger, signal: ending.signal }),
    ending: ending.signal,
    isReady: () => cluster.resources.every(({ synced }) => synced),
    logger,
    observe: ({ method, route, status, seconds }) => metrics.httpRequests.observe({ method, route, status }, seconds),
  });
  const health = createHealthServer({
    port: config.opsPort,
    checks: checksOf(cluster, ending.signal),
    metrics: metrics.page,
  });
  const idMarks = createIdMarks(transport, { namespace: config.namespace, name: ID_MARKS });
  const identity = `${hostname()}_${randomUUID()}`;
  const lead = createLeader({ cluster, catalog, idMarks, transport, identity, logger, metrics });
  measureCaches(cluster, metrics);

  const ready = async () => {
    await Promise.all(cluster.resources.map((resource) => resource.whenSynced(ending.signal)));
  };
  /** Judged before all caches are full, flags would look as if their projects were missing. */
  const judge = async () => {
    await ready();
    logger.info({ flags: caches.flags.size, projects: caches.projects.size }, 'caches are synced');
    await elect({ config, transport, identity, logger, lead, signal: ending.signal });
  };
  const crash = crashUnless(ending.signal, logger);
  let work: Promise<unknown> = Promise.resolve();

  return {
    ready,
    async start() {
      const opsPort = await health.start();
      const httpPort = await api.start();
      if (config.auth === 'token') announceIdentities(reviews, logger).catch(crash);
      work = Promise.all([cluster.run(ending.signal).catch(crash), judge().catch(crash)]);
      return { httpPort, opsPort };
    },
    async stop() {
      // The lease is given back while requests are still being answered: writes of specs need no leader.
      ending.abort(new Error('The operator is stopping'));
      await api.stop();
      await work;
      await health.stop();
      transport.close();
    },
  };
}

/** Watches, elections and workers never fail for what the world does: this is a mistake of ours, and must end the process. */
function crashUnless(ending: AbortSignal, logger: Logger) {
  return (error: unknown): void => {
    if (ending.aborted) return;
    logger.error({ error }, 'a part that must never end has failed');
    queueMicrotask(() => {
      throw error;
    });
  };
}

type Cluster = ReturnType<typeof connectCluster>;

function connectCluster({ namespace: home, watchNamespaces }: Config, connection: Connection) {
  const watched = watchNamespaces === '*' ? [undefined] : watchNamespaces;
  const runs: ConnectedKind<never, never>['run'][] = [];
  const connected = <S, T>(place: KindPlace<S, T>): Resource<S, T> => {
    const { resource, run } = connectKind(connection, place);
    runs.push(run);
    return resource;
  };
  const caches = {
    flags: connected({ kind: featureFlag, indexes: flagIndexes, namespaces: watched }),
    projects: connected({ kind: project, indexes: projectIndexes, namespaces: watched }),
    environments: connected({ kind: environment, indexes: environmentIndexes, namespaces: [home] }),
    users: connected({ kind: flagUser, indexes: userIndexes, namespaces: [home] }),
    roles: connected({ kind: flagRole, indexes: roleIndexes, namespaces: [home] }),
    tokens: connected({ kind: apiToken, indexes: tokenIndexes, namespaces: [home] }),
    strategies: connected({ kind: strategyDefinition, indexes: strategyIndexes, namespaces: [home] }),
  };
  return {
    caches,
    resources: Object.values(caches),
    run: (signal: AbortSignal) => Promise.all(runs.map((run) => run(signal))),
  };
}

function measureCaches({ resources }: Cluster, metrics: Metrics): void {
  metrics.measure('vexil_cache_objects', 'Objects in the cache, by kind.', () =>
    resources.map(({ kind, size }) => ({ labels: { kind: kind.kind }, value: size })),
  );
}

interface ElectParts {
  readonly config: Config;
  readonly transport: Transport;
  readonly identity: string;
  readonly logger: Logger;
  readonly lead: (term: Term) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Leads whenever it is this replica's turn, until the signal aborts. */
async function elect({ config, transport, identity, logger, lead, signal }: ElectParts): Promise<void> {
  if (!config.leaderElection) return lead({ signal, isCurrent: () => !signal.aborted });
  const ref = { namespace: config.namespace, name: 'vexil' };
  await runElection({
    lease: createLease({ transport, ref, durationMs: LEASE_MS, now: Date.now }),
    identity,
    clock: systemClock,
    random: Math.random,
    lead,
    onNotice: electionLog(logger.child({ identity })),
    signal,
  });
}

interface LeaderParts {
  readonly cluster: Cluster;
  readonly catalog: ReturnType<typeof createCatalog>;
  readonly idMarks: IdMarksClient;
  readonly transport: Transport;
  readonly identity: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What the leader does for as long as its term lasts: it starts with every object and follows the changes. */
function createLeader(parts: LeaderParts) {
  const { cluster, metrics } = parts;
  let controllers: Controllers | undefined;
  metrics.measure('vexil_leader', '1 while this replica reconciles.', () => [
    { labels: {}, value: controllers === undefined ? 0 : 1 },
  ]);
  metrics.measure('vexil_queue_depth', 'Objects that wait for a free worker, by kind.', () =>
    cacheNames.map((name) => ({
      labels: { kind: cluster.caches[name].kind.kind },
      value: controllers?.[name].queue.length ?? 0,
    })),
  );

  return async function lead(term: Term): Promise<void> {
    const leading = controllersOf(parts, term);
    controllers = leading;
    const sleep = wakeOnChanges(cluster.caches, {
      flags: leading.flags.queue,
      projects: leading.projects.queue,
      environments: leading.environments.queue,
      users: leading.users.queue,
      roles: leading.roles.queue,
      tokens: leading.tokens.queue,
      strategies: leading.strategies.queue,
    });
    await Promise.all(cacheNames.map((name) => leading[name].run(term.signal)));
    sleep();
    controllers = undefined;
  };
}

type Controllers = Readonly<Record<keyof Cluster['caches'], Controller>>;
const cacheNames = ['flags', 'projects', 'environments', 'users', 'roles', 'tokens', 'strategies'] as const;

/** One controller for each kind, fenced by the term. */
function controllersOf(leader: LeaderParts, term: Term) {
  const { catalog, idMarks, transport, logger, metrics } = leader;
  const { caches } = leader.cluster;
  const controllerOf = (kind: string, concurrency: number, reconcile: (ref: Ref) => Promise<Outcome>) =>
    createController({
      clock: systemClock,
      backoff: retryBackoff,
      concurrency,
      reconcile: timed(metrics, kind, (key) => reconcile(refOf(key))),
      onError: ({ key, error, failures, inMs }) => {
        // That someone was faster is no news: the newer version has woken the key already. Nor is the end of the term.
        const level = term.signal.aborted || isAppError(error, 'conflict') ? 'debug' : 'warn';
        logger[level]({ kind, ...refOf(key), error, failures, inMs }, 'reconcile failed');
      },
    });
  const ids = createIds({ kept: fenceMarks(idMarks, term), highestIds: catalog.highestIds });
  const fenced = {
    flags: fence(caches.flags, term),
    projects: fence(caches.projects, term),
    environments: fence(caches.environments, term),
    users: fence(caches.users, term),
    roles: fence(caches.roles, term),
    tokens: fence(caches.tokens, term),
    strategies: fence(caches.strategies, term),
  };
  const roles = { all: caches.roles.all, change: fenced.roles.change };
  const parts = {
    ...fenced,
    catalog,
    cloneStep: environmentCloning({ ...fenced, ...cloneParts(leader, term.signal), roles }),
    ids,
    secrets: fenceSecrets(createSecrets(transport, TOKEN_KEY), term),
    newDigits: () => randomBytes(TOKEN_RANDOM_BYTES).toString('hex'),
    now: Date.now,
  };
  return {
    flags: controllerOf(featureFlag.kind, FLAGS_AT_ONCE, flagReconciler(parts)),
    projects: controllerOf(project.kind, OTHERS_AT_ONCE, projectReconciler(parts)),
    environments: controllerOf(environment.kind, OTHERS_AT_ONCE, environmentReconciler(parts)),
    users: controllerOf(flagUser.kind, USERS_AT_ONCE, userReconciler(parts)),
    roles: controllerOf(flagRole.kind, OTHERS_AT_ONCE, roleReconciler(parts)),
    tokens: controllerOf(apiToken.kind, OTHERS_AT_ONCE, apiTokenReconciler(parts)),
    strategies: controllerOf(strategyDefinition.kind, OTHERS_AT_ONCE, strategyDefinitionReconciler(parts)),
  } satisfies Controllers;
}

/** A process that was paused beyond its lease must not write what it had in mind before. */
function fence<S, T>(resource: Resource<S, T>, term: Term) {
  return {
    get: resource.get,
    live: (ref: Ref) => resource.live(ref, term.signal),
    applyStatus: async (object, status) => {
      requireCurrent(term);
      return resource.applyStatus(object, status, term.signal);
    },
    change: async (ref, edit, options) => {
      requireCurrent(term);
      return resource.change(ref, edit, { ...options, signal: term.signal });
    },
  } satisfies Judged<S, T> & Changeable<S, T> & Pick<Resource<S, T>, 'live'>;
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

function fenceMarks({ read, write }: IdMarksClient, term: Term): MarksKept<IdMarks> {
  return {
    read: () => read(term.signal),
    write: async (marks, over) => {
      requireCurrent(term);
      return write(marks, over, term.signal);
    },
  };
}

function requireCurrent(term: Term): void {
  if (!term.isCurrent()) throw new AppError('unavailable', 'This replica is not the leader any more');
}

/** What cloning an environment needs beside the kinds that it writes. */
function cloneParts({ catalog, transport, identity, logger }: LeaderParts, signal: AbortSignal) {
  const publish = createEvents({ transport, instance: identity, now: Date.now });
  const tell = (object: Environment, news: News) =>
    publish({ kind: environment.kind, object, news, signal }).catch((error: unknown) => {
      const { namespace, name } = object.metadata;
      logger.warn({ kind: environment.kind, namespace, name, error }, 'an Event could not be published');
    });
  return { catalog, tell, now: Date.now };
}

function checksOf({ resources }: Cluster, ending: AbortSignal) {
  const synced = resources.map((resource) => [
    `${resource.kind.plural}-synced`,
    () => ({ ok: resource.synced, detail: resource.synced ? `${resource.size} cached` : 'waiting for the first list' }),
  ]);
  const serving = () => ({ ok: !ending.aborted, detail: ending.aborted ? 'stopping' : 'serving' });
  return { ...Object.fromEntries(synced), serving };
}
