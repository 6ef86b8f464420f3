/** Wiring: builds every part from a Config, and gives back how to start and stop them. */
import { createCatalog } from './catalog/catalog.ts';
import { environmentIndexes, flagIndexes, projectIndexes } from './catalog/indexes.ts';
import type { Config } from './config/load-config.ts';
import { isAppError } from './errors.ts';
import { createApi } from './http/api.ts';
import { type Connection, connectKind } from './kube/connected-kind.ts';
import { loadKubeConfig } from './kube/kubeconfig.ts';
import { connect } from './kube/transport.ts';
import type { WatchNotice } from './kube/watch.ts';
import { environmentReconciler } from './reconcilers/environment.ts';
import { flagReconciler } from './reconcilers/flag.ts';
import { projectReconciler } from './reconcilers/project.ts';
import { wakeOnChanges } from './reconcilers/wake.ts';
import { exponentialBackoff } from './runtime/backoff.ts';
import { systemClock } from './runtime/clock.ts';
import { type Controller, createController } from './runtime/controller.ts';
import type { Outcome } from './runtime/outcome.ts';
import { environment } from './schema/environment.ts';
import { featureFlag } from './schema/feature-flag.ts';
import { type Ref, refOf } from './schema/object.ts';
import { project } from './schema/project.ts';
import { createHealthServer } from './telemetry/health.ts';
import type { Logger } from './telemetry/logger.ts';

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
const OTHERS_AT_ONCE = 4;

export function createApp(config: Config, logger: Logger): App {
  const ending = new AbortController();
  const transport = connect(loadKubeConfig(config.kubeconfig));
  const cluster = connectCluster(config, {
    transport,
    clock: systemClock,
    random: Math.random,
    backoff: watchBackoff,
    observe: watchLog(logger),
    onFault: (error) => logger.error({ error }, 'a subscriber to a cache failed'),
  });
  const { flags } = cluster.caches;
  const catalog = createCatalog(cluster.caches, Date.now);
  const controllers = createControllers(cluster, catalog, logger);
  const isReady = () => cluster.resources.every(({ synced }) => synced);
  const severalNamespaces = config.watchNamespaces === '*' || config.watchNamespaces.length > 1;
  const api = createApi({ ...config, ...config.http, catalog, flags, severalNamespaces, isReady, logger });
  const health = createHealthServer({ port: config.opsPort, checks: cacheChecks(cluster) });

  const ready = async () => {
    await Promise.all(cluster.resources.map((resource) => resource.whenSynced(ending.signal)));
  };
  /** Judged before all caches are full, flags would look as if their projects were missing. */
  const judge = async () => {
    await ready();
    logger.info({ flags: flags.size, projects: cluster.caches.projects.size }, 'caches are synced');
    await Promise.all(controllers.map(({ run }) => run(ending.signal)));
  };
  let work: Promise<unknown> = Promise.resolve();

  return {
    ready,
    async start() {
      const opsPort = await health.start();
      const httpPort = await api.start();
      work = Promise.allSettled([cluster.run(ending.signal), judge()]);
      return { httpPort, opsPort };
    },
    async stop() {
      await api.stop();
      ending.abort(new Error('The operator is stopping'));
      await work;
      await health.stop();
      transport.close();
    },
  };
}

type Cluster = ReturnType<typeof connectCluster>;

function connectCluster({ namespace: home, watchNamespaces }: Config, connection: Connection) {
  const watched = watchNamespaces === '*' ? [undefined] : watchNamespaces;
  const flags = connectKind(connection, { kind: featureFlag, indexes: flagIndexes, namespaces: watched });
  const projects = connectKind(connection, { kind: project, indexes: projectIndexes, namespaces: watched });
  const environments = connectKind(connection, { kind: environment, indexes: environmentIndexes, namespaces: [home] });
  return {
    caches: { flags: flags.resource, projects: projects.resource, environments: environments.resource },
    resources: [flags.resource, projects.resource, environments.resource],
    run: (signal: AbortSignal) => Promise.all([flags.run(signal), projects.run(signal), environments.run(signal)]),
  };
}

type Catalog = ReturnType<typeof createCatalog>;

function createControllers({ caches }: Cluster, catalog: Catalog, logger: Logger): readonly Controller[] {
  const parts = { ...caches, catalog, now: Date.now };
  const controllerOf = (kind: string, concurrency: number, reconcile: (ref: Ref) => Promise<Outcome>) =>
    createController({
      clock: systemClock,
      backoff: retryBackoff,
      concurrency,
      reconcile: (key) => reconcile(refOf(key)),
      onError: ({ key, error, failures, inMs }) => {
        // That someone was faster is no news: the newer version has woken the key already.
        const level = isAppError(error, 'conflict') ? 'debug' : 'warn';
        logger[level]({ kind, ...refOf(key), error, failures, inMs }, 'reconcile failed');
      },
    });
  const flags = controllerOf('FeatureFlag', FLAGS_AT_ONCE, flagReconciler(parts));
  const projects = controllerOf('Project', OTHERS_AT_ONCE, projectReconciler(parts));
  const environments = controllerOf('Environment', OTHERS_AT_ONCE, environmentReconciler(parts));
  wakeOnChanges(caches, { flags: flags.queue, projects: projects.queue, environments: environments.queue });
  return [flags, projects, environments];
}

function cacheChecks({ resources }: Cluster) {
  return Object.fromEntries(
    resources.map((resource) => [
      `${resource.kind.plural}-synced`,
      () => ({
        ok: resource.synced,
        detail: resource.synced ? `${resource.size} cached` : 'waiting for the first list',
      }),
    ]),
  );
}

function watchLog(logger: Logger) {
  return (kind: string, namespace: string | undefined, notice: WatchNotice): void => {
    const facts = { kind, ...(namespace !== undefined && { namespace }) };
    if (notice.type === 'failed') logger.warn({ ...facts, error: notice.error }, 'watch failed, trying again');
    else if (notice.type === 'silent') logger.warn(facts, 'watch fell silent, connecting anew');
    else if (notice.type !== 'frame') logger.debug({ ...facts, notice }, 'watch goes on');
  };
}
