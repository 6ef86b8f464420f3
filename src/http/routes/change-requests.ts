/** Change requests: changes that need the approval of other people. */
import { z } from 'zod';
import {
  signedIn,
  toChangeRequest,
  toChangeRequests,
  toFlagOfRequest,
  toProject,
} from '../../access/authorization/requirements.ts';
import { projectsOfReadableFlags, readableProjects } from '../../access/readable/readable-objects.ts';
import { commentOn, decide, isOwn, waitsFor, withContext, withdraw } from '../../actions/change-requests.ts';
import { findProject } from '../../catalog/find.ts';
import { effectsOfRequest, hasEffects } from '../../delivery/request-effects.ts';
import { isFinal } from '../../domain/approval/request-life.ts';
import { projectOfPath } from '../../domain/approval/target.ts';
import { compareText, wireNameOf } from '../../domain/identity/names.ts';
import { Refusal } from '../../errors.ts';
import { boundedTurns, collectInTurns, type Turn } from '../../runtime/turns.ts';
import type { ChangeRequest } from '../../schema/change-request.ts';
import {
  presentChangeRequest,
  presentDecision,
  wireChangeRequest,
  wireChangeRequests,
  wireDecision,
} from '../../wire/admin/change-request.ts';
import {
  presentChangeRequestConfig,
  presentChangeRequestCounts,
  wireChangeRequestConfig,
  wireChangeRequestCounts,
} from '../../wire/admin/change-request-summary.ts';
import { wholeNumber } from '../../wire/admin/query.ts';
import { evaluationTime } from '../../wire/client/context.ts';
import { presentChangeEffects, wireChangeEffects } from '../../wire/playground/change-effects.ts';
import { MAX_EVALUATIONS } from '../../wire/playground/playground-input.ts';
import { segmentReader } from '../pages/segment-reader.ts';
import { type RouteServices, route } from '../route/route.ts';
import { projectPath } from './projects.ts';

const requestPath = z.object({
  ...projectPath.shape,
  id: z
    .string()
    .min(1)
    .max(253)
    .meta({ description: 'The name of the ChangeRequest.', examples: ['one-page-checkout-1f0c2d3e'] }),
});

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;

const listQuery = z.object({
  open: z.enum(['true', 'false']).optional().meta({ description: 'true: only requests that have not ended.' }),
  for: z.enum(['mine', 'to-approve']).optional().meta({
    description:
      'mine: only your own requests. to-approve: only those that wait for a decision that you can make and have not made.',
  }),
  offset: wholeNumber({ least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 }, 'How many to skip'),
  limit: wholeNumber({ least: 1, most: MAX_LIMIT, fallback: DEFAULT_LIMIT }, 'How many to answer'),
});

const listOfProjectQuery = listQuery.extend({
  feature: z.string().min(1).optional().meta({ description: 'Only requests for this flag.' }),
});

const effectsQuery = z.object({ at: evaluationTime.optional() });

const stateBody = z
  .object({
    state: z
      .enum(['Approved', 'Rejected', 'Cancelled'])
      .meta({ description: 'Approve, reject or withdraw the request.' }),
    comment: z.string().max(1000).optional().meta({ description: 'Why.' }),
  })
  .meta({ id: 'ChangeRequestState', description: 'Unknown properties are dropped.' });

const commentBody = z
  .object({ text: z.string().min(1).max(1000).meta({ description: 'The comment.' }) })
  .meta({ id: 'ChangeRequestComment', description: 'Unknown properties are dropped.' });

/** The names of requests for one flag begin with their time in milliseconds; a creationTimestamp has whole seconds. */
function newestFirst(requests: readonly ChangeRequest[]): readonly ChangeRequest[] {
  return requests.toSorted(
    (a, b) =>
      compareText(b.metadata.creationTimestamp, a.metadata.creationTimestamp) ||
      compareText(b.metadata.name, a.metadata.name),
  );
}

function show(services: RouteServices, request: ChangeRequest) {
  return presentChangeRequest(withContext(services, request));
}

/** The id of the project of what the request would change; one elsewhere belongs to no project. */
function projectOf({ catalog }: RouteServices, request: ChangeRequest): string | undefined {
  const target = catalog.targetOf(request);
  const id = target && projectOfPath(target);
  return id !== undefined && catalog.project(id)?.metadata.namespace === request.metadata.namespace ? id : undefined;
}

interface RequestFilter {
  readonly isOfProject: (id: string) => boolean;
  readonly open?: string | undefined;
  /** The name of a flag; absent: any. */
  readonly feature?: string | undefined;
}

type WantedPage = RequestFilter & Pick<z.output<typeof listQuery>, 'for' | 'offset' | 'limit'>;

/** To compare what requests ask for takes long if they are large. */
const MAX_LIST_MS = 10_000;

/** The requests for these projects and what belongs to them. */
async function pageOf(services: RouteServices, { offset, limit, for: whose, ...wanted }: WantedPage, asked: Turn) {
  const turn = boundedTurns(asked, { maxMs: MAX_LIST_MS, tooLong });
  const all = await forCaller(services, { requests: newestFirst(allOf(services, wanted)), whose, turn });
  const page = all.slice(offset, offset + limit).values();
  return {
    changeRequests: [
      ...(await collectInTurns(
        page.map((one) => show(services, one)),
        turn,
      )),
    ],
    total: all.length,
  };
}

interface OfCaller {
  readonly requests: readonly ChangeRequest[];
  readonly whose: z.output<typeof listQuery>['for'];
  readonly turn: Turn;
}

async function forCaller(services: RouteServices, { requests, whose, turn }: OfCaller) {
  if (whose === undefined) return requests;
  if (whose === 'mine') return requests.filter((request) => isOwn(services, request));
  const found: ChangeRequest[] = [];
  for (const request of requests) {
    await turn();
    if (await waitsFor(services, request)) found.push(request);
  }
  return found;
}

function tooLong(): Refusal {
  const message = `To compare the change requests takes longer than ${MAX_LIST_MS / 1000} s: ask for fewer with limit.`;
  return new Refusal('busy', message, { retryAfterSeconds: 10 });
}

function allOf(services: RouteServices, { isOfProject, open, feature }: RequestFilter): readonly ChangeRequest[] {
  return [...requestsAbout(services, feature)].filter((request) => {
    if (request.defects.length > 0 || (open === 'true' && isFinal(request.status?.phase))) return false;
    const id = projectOf(services, request);
    return id !== undefined && isOfProject(id);
  });
}

function requestsAbout({ catalog }: RouteServices, feature: string | undefined): Iterable<ChangeRequest> {
  if (feature === undefined) return catalog.changeRequests();
  const flag = catalog.flag(feature);
  return flag ? catalog.requestsFor('FeatureFlag', flag.metadata) : [];
}

function findRequest(services: RouteServices, { projectId, id }: z.infer<typeof requestPath>): ChangeRequest {
  const { catalog } = services;
  const project = catalog.project(projectId);
  const found = project && catalog.changeRequest({ namespace: project.metadata.namespace, name: id });
  if (!found || found.defects.length > 0 || projectOf(services, found) !== projectId)
    throw new Refusal('not-found', `The project "${projectId}" has no change request "${id}".`);
  return found;
}

interface EffectsAsked {
  /** RFC 3339. */
  readonly at: string | undefined;
  readonly turn: Turn;
}

async function effectsOf(services: RouteServices, request: ChangeRequest, { at, turn }: EffectsAsked) {
  const { catalog } = services;
  const target = catalog.targetOf(request);
  if (!hasEffects(target)) {
    const message = `The change request "${request.metadata.name}" is about no flag and no segment, or its target is gone.`;
    throw new Refusal('not-found', message);
  }
  const readsSegment = await segmentReader(services);
  const readable = new Set((await projectsOfReadableFlags(services)).map(({ project }) => wireNameOf(project)));
  const effects = await effectsOfRequest(target, request, {
    ...{ catalog, readsSegment, turn },
    at: at === undefined ? undefined : Date.parse(at),
    readsFlagsOf: (id) => readable.has(id),
  });
  return presentChangeEffects(effects, readsSegment);
}

export const changeRequestRoutes = [
  route({
    method: 'get',
    path: '/change-requests',
    summary: 'List the change requests of all projects that you may read.',
    description: 'The newest first.',
    errors: [],
    requires: signedIn,
    query: listQuery,
    answer: 200,
    response: wireChangeRequests,
    handle: async (services, { query, turn }) => {
      const readable = new Set((await readableProjects(services)).map(({ project }) => wireNameOf(project)));
      return pageOf(services, { ...query, isOfProject: (id) => readable.has(id) }, turn);
    },
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/change-requests',
    summary: 'List the change requests for a project, its flags and its segments.',
    description: 'The newest first.',
    errors: [],
    requires: toChangeRequests('list', 'NONE'),
    params: projectPath,
    query: listOfProjectQuery,
    answer: 200,
    response: wireChangeRequests,
    handle: (services, { params, query, turn }) =>
      pageOf(services, { ...query, isOfProject: (id) => id === params.projectId }, turn),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/change-requests/config',
    summary: 'List the environments of a project, and where changes need approval.',
    errors: ['not-found'],
    requires: toProject('get', 'NONE'),
    params: projectPath,
    answer: 200,
    response: wireChangeRequestConfig,
    handle: ({ catalog }, { params }) =>
      presentChangeRequestConfig(findProject(catalog, params.projectId).flagContext.environments),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/change-requests/count',
    summary: 'Count the change requests for a project, its flags and its segments by their state.',
    errors: [],
    requires: toChangeRequests('list', 'NONE'),
    params: projectPath,
    answer: 200,
    response: wireChangeRequestCounts,
    handle: (services, { params }) => {
      const found = allOf(services, { isOfProject: (id) => id === params.projectId });
      return presentChangeRequestCounts(found, services.catalog.now());
    },
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/change-requests/:id',
    summary: 'Read a change request.',
    errors: ['not-found'],
    requires: toChangeRequest('get', 'NONE'),
    params: requestPath,
    answer: 200,
    response: wireChangeRequest,
    handle: (services, { params }) => show(services, findRequest(services, params)),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/change-requests/:id/effects',
    summary: 'Read what users get before and after the change that is asked for.',
    description: `Contexts are made from the rules of the flag, before and after, so that each strategy and each variant is reached, and evaluated on both sides. For a segment, \`segment\` has the same for the flags that use it. At most ${MAX_EVALUATIONS} evaluations. Without \`at\`, windows and ramps have the state of the time at which the change would be made: now, or \`applyAt\` of the request.`,
    errors: ['not-found'],
    requires: toChangeRequest('get', 'NONE'),
    alsoRequires: [toFlagOfRequest('get', 'NONE')],
    params: requestPath,
    query: effectsQuery,
    answer: 200,
    response: wireChangeEffects,
    handle: (services, { params, query, turn }) =>
      effectsOf(services, findRequest(services, params), { at: query.at, turn }),
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/change-requests/:id/comments',
    summary: 'Comment on a change request.',
    description:
      'A comment decides nothing, so it needs no permission to approve. Every user who may read the request may comment, also after its end. Kubernetes users also need access to create changeapprovals. A request has at most 100 comments by this endpoint.',
    errors: ['not-found', 'invalid-operation'],
    requires: toChangeRequest('get', 'NONE'),
    params: requestPath,
    body: commentBody,
    answer: 201,
    response: wireDecision,
    handle: async (services, { params, body, dryRun }) => {
      const request = findRequest(services, params);
      return presentDecision(await commentOn(services, request, { comment: body.text, dryRun }));
    },
  }),
  route({
    method: 'put',
    path: '/projects/:projectId/change-requests/:id/state',
    summary: 'Approve, reject or withdraw a change request.',
    description:
      'To approve or reject needs the permission APPROVE_CHANGE_REQUEST, or in Kubernetes the verb `approve` on `environments.vexil.dev`, for each environment that needs approval. The author may withdraw it, and everyone who may change the target: with UPDATE_FEATURE_ENVIRONMENT, for a segment UPDATE_SEGMENT, for a project UPDATE_PROJECT, for an environment ADMIN. A segment for all projects and an environment are in the path of the project `default`, and need the permissions in a root role. The answer has the decision; the state follows as soon as the leader has counted it.',
    errors: ['not-found', 'invalid-operation'],
    requires: toChangeRequest('get', 'NONE'),
    params: requestPath,
    body: stateBody,
    answer: 202,
    creates: true,
    handle: async (services, { params, body, dryRun }) => {
      const request = findRequest(services, params);
      if (body.state === 'Cancelled') return withdraw(services, request, dryRun);
      const decision = body.state === 'Approved' ? 'Approve' : 'Reject';
      return decide(services, request, { decision, comment: body.comment, dryRun });
    },
  }),
];
