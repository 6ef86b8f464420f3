/** The services of an endpoint that answers the state at a past time. */
import { requirePermissions } from '../../access/authorization/require-permissions.ts';
import { toProject } from '../../access/authorization/requirements.ts';
import type { WantedFlags } from '../../audit/archive/versions/versions.ts';
import type { InGap } from '../../wire/past-query.ts';
import type { PastQuestion } from '../pages/past.ts';
import { refusedTime } from '../pages/recorded.ts';
import type { Input, Route, RouteServices } from './route.ts';

interface MomentOfRequest {
  readonly at?: string | undefined;
  readonly inGap?: InGap;
  /** Default: `query`. */
  readonly part?: PastQuestion['part'];
}

/** For an endpoint that answers the present unless it is asked for a time. */
export function askPast(
  { at, inGap, part = 'query' }: MomentOfRequest,
  flags: WantedFlags,
  project?: string,
): PastQuestion | undefined {
  return at === undefined ? undefined : { at: Date.parse(at), part, inGap, flags, project };
}

interface RequestInput extends Pick<Input<unknown, unknown, unknown>, 'params' | 'query' | 'body' | 'signal' | 'turn'> {
  /** Resolves when the state may be made: it has all objects, and is kept until the answer is sent. */
  readonly enter: () => Promise<void>;
}

/** The same services, if the request asks for no past time. */
export async function servicesAt(route: Route, services: RouteServices, input: RequestInput): Promise<RouteServices> {
  if (!route.past) return services;
  const now = services.catalog.now();
  const question = route.past(input, now);
  if (question === undefined) return services;
  const later = route.pastTo?.(input, now);
  refuseFuture(question, now);
  if (later) refuseFuture(later, now);
  await input.enter();
  const other = later ? await servicesOf(route, services, { question: later, input }) : services;
  return { ...(await servicesOf(route, services, { question, input })), other };
}

function refuseFuture({ at, ...place }: PastQuestion, now: number): void {
  if (at <= now) return;
  throw refusedTime(`The time ${new Date(at).toISOString()} is in the future: name a time that has passed.`, place);
}

interface PastInput {
  readonly question: PastQuestion;
  readonly input: RequestInput;
}

/** Throws unless the caller could see the objects then. */
async function servicesOf(
  route: Route,
  services: RouteServices,
  { question, input }: PastInput,
): Promise<RouteServices> {
  const { requireCertain, ...state } = await services.past.stateAt(question, input);
  // The spread makes the writers of all kinds, in microseconds; the state takes milliseconds.
  const then: RouteServices = { ...services, ...state, asOf: question.at };
  const { requires, alsoRequires = [] } = route;
  const { project: projectId } = question;
  await requirePermissions(services.caller, [
    ...[requires, ...alsoRequires].map((one) => one.of(then, input.params)),
    // The history of a flag is seen with its project.
    ...(projectId === undefined ? [] : [toProject('get', 'NONE').of(then, { projectId })]),
  ]);
  if (!question.takesUncertain) requireCertain();
  return then;
}
