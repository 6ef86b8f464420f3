/** The reconcilers of all kinds, fenced by the term in which they run. */
import { randomBytes } from 'node:crypto';
import type { createCatalog } from '../catalog/catalog.ts';
import { AppError, isAppError } from '../errors.ts';
import { createEvents } from '../kube/events.ts';
import type { IdMarks, IdMarksClient } from '../kube/id-marks.ts';
import type { Resource } from '../kube/resource.ts';
import { createSecrets, type SecretsClient } from '../kube/secrets.ts';
import type { Transport } from '../kube/transport.ts';
import { apiTokenReconciler } from '../reconcilers/api-token.ts';
import type { Changeable } from '../reconcilers/clone-writes.ts';
import { environmentReconciler } from '../reconcilers/environment.ts';
import { environmentCloning } from '../reconcilers/environment-clone.ts';
import { flagReconciler } from '../reconcilers/flag.ts';
import { createIds, type MarksKept } from '../reconcilers/ids.ts';
import { projectReconciler } from '../reconcilers/project.ts';
import { roleReconciler } from '../reconcilers/role.ts';
import type { Judged, Publish } from '../reconcilers/status.ts';
import { strategyDefinitionReconciler } from '../reconcilers/strategy-definition.ts';
import { userReconciler } from '../reconcilers/user.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import { systemClock } from '../runtime/clock.ts';
import { type Controller, createController } from '../runtime/controller.ts';
import type { Term } from '../runtime/election.ts';
import type { Outcome } from '../runtime/outcome.ts';
import { apiToken } from '../schema/api-token.ts';
import { environment } from '../schema/environment.ts';
import { featureFlag } from '../schema/feature-flag.ts';
import { flagRole } from '../schema/flag-role.ts';
import { flagUser } from '../schema/flag-user.ts';
import { type Ref, refOf } from '../schema/object.ts';
import { project } from '../schema/project.ts';
import { strategyDefinition } from '../schema/strategy-definition.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { timed } from '../telemetry/timed.ts';
import type { Cluster } from './cluster.ts';

const retryBackoff = exponentialBackoff({ baseMs: 100, capMs: 60_000, random: Math.random });

/** How many objects of a kind are judged at the same time. */
const FLAGS_AT_ONCE = 16;
/** Those that are given their ids at the same time share one write of the marks. */
const USERS_AT_ONCE = 16;
const OTHERS_AT_ONCE = 4;

/** The key of a Secret that holds the value of an API token. */
export const TOKEN_KEY = 'token';
const TOKEN_RANDOM_BYTES = 28;

export interface ControllersParts {
  readonly cluster: Cluster;
  readonly catalog: ReturnType<typeof createCatalog>;
  readonly idMarks: IdMarksClient;
  readonly transport: Transport;
  readonly identity: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export type Controllers = Readonly<Record<keyof Cluster['caches'], Controller>>;
export const cacheNames = ['flags', 'projects', 'environments', 'users', 'roles', 'tokens', 'strategies'] as const;

/** One controller for each kind, fenced by the term. */
export function controllersOf(leader: ControllersParts, term: Term) {
  const { catalog, idMarks, transport, logger, metrics } = leader;
  const { caches } = leader.cluster;
  const controllerOf = (kind: string, concurrency: number, reconcile: (ref: Ref) => Promise<Outcome>) =>
    createController({
      clock: systemClock,
      backoff: retryBackoff,
      concurrency,
      reconcile: timed(metrics, kind, (key) => reconcile(refOf(key))),
      onError: ({ key, error, failures, inMs }) => {
        // That someone was faster, or has deleted it, is no news: that has woken the key already. Nor is the end of the term.
        const isPassed = term.signal.aborted || isAppError(error, 'conflict') || isAppError(error, 'not-found');
        const level = isPassed ? 'debug' : 'warn';
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
  const publishes = publisher(leader, term.signal);
  const roles = { all: caches.roles.all, change: fenced.roles.change };
  const parts = {
    ...fenced,
    catalog,
    cloneStep: environmentCloning({ ...fenced, catalog, tell: publishes(environment.kind), now: Date.now, roles }),
    ids,
    secrets: fenceSecrets(createSecrets(transport, TOKEN_KEY), term),
    newDigits: () => randomBytes(TOKEN_RANDOM_BYTES).toString('hex'),
    now: Date.now,
  };
  return {
    flags: controllerOf(
      featureFlag.kind,
      FLAGS_AT_ONCE,
      flagReconciler({ ...parts, publish: publishes(featureFlag.kind) }),
    ),
    projects: controllerOf(
      project.kind,
      OTHERS_AT_ONCE,
      projectReconciler({ ...parts, publish: publishes(project.kind) }),
    ),
    environments: controllerOf(environment.kind, OTHERS_AT_ONCE, environmentReconciler(parts)),
    users: controllerOf(flagUser.kind, USERS_AT_ONCE, userReconciler(parts)),
    roles: controllerOf(flagRole.kind, OTHERS_AT_ONCE, roleReconciler(parts)),
    tokens: controllerOf(apiToken.kind, OTHERS_AT_ONCE, apiTokenReconciler(parts)),
    strategies: controllerOf(strategyDefinition.kind, OTHERS_AT_ONCE, strategyDefinitionReconciler(parts)),
  } satisfies Controllers;
}

/** A process that was paused beyond its lease must not write what it had in mind before. */
function fence<S, T>(resource: Resource<S, T>, term: Term) {
  const { signal } = term;
  const beforeSend = async () => requireCurrent(term);
  return {
    get: resource.get,
    live: (ref: Ref) => resource.live(ref, signal),
    applyStatus: (object, status) => resource.applyStatus(object, status, { signal, beforeSend }),
    change: (ref, edit, options) => resource.change(ref, edit, { ...options, signal, beforeSend }),
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

/** Publishes Events about objects of a kind; that one could not be published is logged. */
function publisher({ transport, identity, logger }: ControllersParts, signal: AbortSignal) {
  const publish = createEvents({ transport, instance: identity, now: Date.now });
  return (kind: string): Publish =>
    (object, news) =>
      publish({ kind, object, news, signal }).catch((error: unknown) => {
        const { namespace, name } = object.metadata;
        logger.warn({ kind, namespace, name, error }, 'an Event could not be published');
      });
}
