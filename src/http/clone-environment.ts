/** Creates an environment as a copy of another, and waits until the leader has made it one. */
import {
  type CloneRequest,
  cloneRequestOf,
  isSameRequest,
  nextSortOrder,
  planClone,
  refuseUnsettled,
} from '../domain/clone-environment.ts';
import { copiedOf } from '../domain/clone-progress.ts';
import { AppError, isAppError } from '../errors.ts';
import type { Environment, EnvironmentSpec } from '../schema/environment.ts';
import { SPEC_MANAGER } from '../schema/stamp.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import type { Services } from './route.ts';
import { until } from './until.ts';
import { about, invalid, shown } from './validation.ts';
import { environmentTypeOf } from './wire/environment.ts';

export interface WantedClone {
  readonly request: CloneRequest;
  readonly type: string;
  readonly dryRun: boolean;
}

const ANSWER_WITHIN_MS = 60_000;
const ASK_AGAIN_SECONDS = 5;
/** Of a clone that is done, this replica's own cache may so long lack flags that are copied. */
const CATCH_UP_MS = 2_000;

/** The same request again joins the clone that is under way, or finds it done. */
export async function cloneEnvironment(services: Services, wanted: WantedClone): Promise<Environment> {
  const known = services.catalog.environment(wanted.request.to);
  if (!known) refuseUnknown(services, wanted.request);
  const environment = known ?? (await createClone(services, wanted));
  if (!isWanted(environment, wanted)) throw nameTaken(wanted);
  if (wanted.dryRun) return environment;
  try {
    return await untilCloned(services, environment, wanted);
  } catch (error) {
    if (!isAppError(error, 'unavailable')) await removeFailed(services, environment);
    throw error;
  }
}

function refuseUnknown({ catalog }: Pick<Services, 'catalog'>, request: CloneRequest): void {
  const { source, projects } = catalog.cloneGround(request);
  if (!source) throw new AppError('not-found', `There is no environment with the name "${request.from}".`);
  refuseUnsettled(source);
  const missing = projects.flatMap(({ id, view }, index) =>
    view ? [] : [about('body', ['projects', `${index}`], `must be the id of a project. You sent ${shown(id)}.`)],
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
  const unborn = { namespace: services.home, wireName: to, spec, dryRun };
  return (await createUnderFreeName(services.environments, unborn)).object;
}

function isWanted(environment: Environment, { request, type }: WantedClone): boolean {
  return environmentTypeOf(environment) === type && isSameRequest(request, cloneRequestOf(environment));
}

function nameTaken({ request }: WantedClone): AppError {
  return new AppError(
    'name-taken',
    `An environment with the name "${request.to}" already exists. Choose another name.`,
  );
}

/** The statuses in the cache of this replica tell it, whoever leads. */
async function untilCloned(services: Services, { metadata }: Environment, wanted: WantedClone): Promise<Environment> {
  const { environments, ending } = services;
  const timely = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const look = () => {
    const present = environments.get(metadata);
    if (present?.metadata.uid === metadata.uid) return ifCloned(services, present, wanted);
    throw new AppError('not-found', `The environment "${wanted.request.to}" was deleted before it was a clone.`);
  };
  try {
    const known = look();
    if (known) return known;
    const done = await until(look, { caches: [environments], signal: AbortSignal.any([ending, timely]) });
    await untilShown(services, done, AbortSignal.any([ending, AbortSignal.timeout(CATCH_UP_MS)]));
    return done;
  } catch (error) {
    if (ending.aborted)
      throw unavailable('This replica is stopping. The clone goes on: send the same request again.', 1);
    if (timely.aborted) throw unavailable(stillRunning(environments.get(metadata)), ASK_AGAIN_SECONDS);
    throw error;
  }
}

/** Undefined: not yet. Throws what keeps it from ever being one. */
function ifCloned(services: Services, present: Environment, wanted: WantedClone): Environment | undefined {
  if (services.catalog.environmentRival(present)) throw nameTaken(wanted);
  const { phase, message = '' } = present.status?.clone ?? {};
  if (phase === 'Done') {
    if (message !== '') services.leaveOut([message]);
    return present;
  }
  if (phase === 'Failed') throw invalid([{ path: '/params/name', message: `Nothing is cloned: ${message}` }]);
  // The leader may not know yet what this replica knows.
  if (phase === 'Waiting') refuseUnknown(services, wanted.request);
  return undefined;
}

/** What is answered counts the flags that are copied. */
async function untilShown({ catalog, flags }: Services, done: Environment, signal: AbortSignal): Promise<void> {
  const request = cloneRequestOf(done);
  const copied = done.status?.clone?.copied ?? 0;
  const look = () => {
    const plan = request && planClone(request, catalog.cloneGround(request));
    return !plan || copiedOf(plan) >= copied ? true : undefined;
  };
  await until(look, { caches: [flags], signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** So that the name is free for another try. What kubectl or Git has asked for is theirs to delete. */
async function removeFailed({ environments }: Services, { metadata }: Environment): Promise<void> {
  const present = environments.get(metadata);
  if (present?.metadata.uid !== metadata.uid || !isOurs(present)) return;
  const expect = (one: Environment) => {
    if (!isUnbegun(one)) throw new AppError('conflict', 'The clone has begun');
  };
  await environments.takeBack(present, { expect }).catch((error: unknown) => {
    if (!isAppError(error, 'not-found') && !isAppError(error, 'conflict')) throw error;
  });
}

function isOurs({ owners }: Environment): boolean {
  return owners.some(({ manager, fields }) => manager === SPEC_MANAGER && fields.includes('"f:clone"'));
}

/** No flag is written. */
function isUnbegun({ status }: Environment): boolean {
  const phase = status?.clone?.phase;
  return phase === undefined || phase === 'Waiting' || phase === 'Failed';
}

function unavailable(message: string, retryAfterSeconds: number): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds });
}

function stillRunning(environment: Environment | undefined): string {
  const { flags = 0, copied = 0 } = environment?.status?.clone ?? {};
  return `The clone is not done yet, and goes on: ${copied} of ${flags} flags are copied. Send the same request again.`;
}
