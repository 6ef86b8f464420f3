/** Creates an environment as a clone of another, and waits until the leader has finished the copy. */
import { environmentNotFound } from '../catalog/find.ts';
import {
  type CloneRequest,
  cloneRequestOf,
  isSameRequest,
  nextSortOrder,
  planClone,
  refuseUnsettled,
} from '../domain/environment/clone-environment.ts';
import { copiedOf } from '../domain/environment/clone-progress.ts';
import { environmentTypeOf } from '../domain/environment/environment-values.ts';
import { isClusterError, isRefusal, Refusal } from '../errors.ts';
import { invalid, quoteValue } from '../model/invalid-input.ts';
import type { Environment, EnvironmentSpec } from '../schema/environment.ts';
import { SPEC_MANAGER } from '../schema/stamp.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import { refusalOfTakenName } from './name-refusals.ts';
import type { Services } from './services.ts';
import { waitForCache } from './wait-for-cache.ts';

export interface WantedClone {
  readonly request: CloneRequest;
  readonly type: string;
  readonly dryRun: boolean;
}

const RETRY_AFTER_SECONDS = 5;
/** The time for the cache of this replica to show the copied flags of a finished clone. */
const CATCH_UP_MS = 2_000;

/** A repeated request waits for the clone in progress, or returns the finished one. */
export async function cloneEnvironment(services: Services, wanted: WantedClone): Promise<Environment> {
  const existing = services.catalog.environment(wanted.request.to);
  if (!existing) refuseMissing(services, wanted.request);
  const environment = existing ?? (await createClone(services, wanted));
  if (!isWanted(environment, wanted)) throw environmentExists(wanted);
  if (wanted.dryRun) return environment;
  try {
    return await waitUntilCloned(services, environment, wanted);
  } catch (error) {
    if (!isRefusal(error, 'unavailable')) await removeFailed(services, environment);
    throw error;
  }
}

function refuseMissing({ catalog }: Pick<Services, 'catalog'>, request: CloneRequest): void {
  const { source, projects } = catalog.cloneContext(request);
  if (!source) throw new Refusal('not-found', environmentNotFound(request.from));
  refuseUnsettled(source);
  const missing = projects.flatMap(({ id, view }, index) =>
    view
      ? []
      : [
          {
            part: 'body' as const,
            keys: ['projects', `${index}`],
            complaint: 'must be the id of a project.',
            value: quoteValue(id),
          },
        ],
  );
  if (missing.length > 0) throw invalid(missing);
}

async function createClone(services: Services, { request, type, dryRun }: WantedClone): Promise<Environment> {
  const { from, to, projects, permissions } = request;
  const sortOrder = nextSortOrder(services.catalog.environments());
  const spec: EnvironmentSpec = {
    type,
    ...(sortOrder !== undefined && { sortOrder }),
    clone: { from, ...(projects.length > 0 && { projects: [...projects] }), ...(!permissions && { permissions }) },
  };
  const newResource = { namespace: services.home, wireName: to, spec, dryRun };
  return (await createUnderFreeName(services.environments, newResource)).object;
}

function isWanted(environment: Environment, { request, type }: WantedClone): boolean {
  return environmentTypeOf(environment) === type && isSameRequest(request, cloneRequestOf(environment));
}

function environmentExists({ request }: WantedClone): Refusal {
  return refusalOfTakenName({ subject: 'An environment', name: request.to });
}

/** Watches the status in the cache of this replica, so that it works on every replica. */
async function waitUntilCloned(
  services: Services,
  { metadata }: Environment,
  wanted: WantedClone,
): Promise<Environment> {
  const { environments, ending, timings } = services;
  const timely = AbortSignal.timeout(timings.cloneWaitMs);
  const look = () => {
    const present = environments.get(metadata);
    if (present?.metadata.uid === metadata.uid) return cloneIfDone(services, present, wanted);
    throw new Refusal('not-found', `The environment "${wanted.request.to}" was deleted before the clone was done.`);
  };
  try {
    const finished = look();
    if (finished) return finished;
    const done = await waitForCache(look, { caches: [environments], signal: AbortSignal.any([ending, timely]) });
    await waitUntilCached(services, done, AbortSignal.any([ending, AbortSignal.timeout(CATCH_UP_MS)]));
    return done;
  } catch (error) {
    if (ending.aborted) {
      const message = 'This replica is stopping. The clone continues: send the same request again.';
      throw new Refusal('unavailable', message, { retryAfterSeconds: 1 });
    }
    if (timely.aborted) throw stillRunning(environments.get(metadata));
    throw error;
  }
}

/** Undefined if the clone is in progress. Throws if the clone can never be done. */
function cloneIfDone(services: Services, present: Environment, wanted: WantedClone): Environment | undefined {
  if (services.catalog.environmentConflictWith(present)) throw environmentExists(wanted);
  const { phase, message = '' } = present.status?.clone ?? {};
  if (phase === 'Done') {
    if (message !== '') services.notes.leaveOut([message]);
    return present;
  }
  if (phase === 'Failed') throw invalid([{ part: 'params', keys: ['name'], message: `Nothing is cloned: ${message}` }]);
  // The cache of the leader may be older than the one of this replica.
  if (phase === 'Waiting') refuseMissing(services, wanted.request);
  return undefined;
}

/** The answer counts the copied flags, so the cache must have them. */
async function waitUntilCached({ catalog, flags }: Services, done: Environment, signal: AbortSignal): Promise<void> {
  const request = cloneRequestOf(done);
  const copied = done.status?.clone?.copied ?? 0;
  const look = () => {
    const plan = request && planClone(request, catalog.cloneContext(request));
    return !plan || copiedOf(plan) >= copied ? true : undefined;
  };
  await waitForCache(look, { caches: [flags], signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Frees the name for another attempt. A clone that kubectl or Git has requested is left for them to delete. */
async function removeFailed({ environments }: Services, { metadata }: Environment): Promise<void> {
  const present = environments.get(metadata);
  if (present?.metadata.uid !== metadata.uid || !isOurs(present)) return;
  const expect = (one: Environment) => {
    if (!isNotStarted(one)) throw new Refusal('conflict', 'The clone has begun');
  };
  await environments.undoCreate(present, { expect }).catch((error: unknown) => {
    if (!isClusterError(error, 'not-found', 'conflict') && !isRefusal(error, 'conflict')) throw error;
  });
}

function isOurs({ owners }: Environment): boolean {
  return owners.some(({ manager, fields }) => manager === SPEC_MANAGER && fields.includes('"f:clone"'));
}

/** Whether no flag has been written yet. */
function isNotStarted({ status }: Environment): boolean {
  const phase = status?.clone?.phase;
  return phase === undefined || phase === 'Waiting' || phase === 'Failed';
}

function stillRunning(environment: Environment | undefined): Refusal {
  const { flags = 0, copied = 0 } = environment?.status?.clone ?? {};
  const message = `The clone is not done yet, and continues: ${copied} of ${flags} flags are copied. Send the same request again.`;
  return new Refusal('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
