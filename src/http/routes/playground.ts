/** Evaluations for a context that a person requests, with their reasons. */
import { z } from 'zod';
import { signedIn, toFlag } from '../../access/authorization/requirements.ts';
import { projectsOfReadableFlags } from '../../access/readable/readable-objects.ts';
import type { WantedFlags } from '../../audit/archive/versions/versions.ts';
import { findEnvironment, findFlag } from '../../catalog/find.ts';
import { createExplanations } from '../../delivery/explanations.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { Refusal } from '../../errors.ts';
import { inTurn } from '../../runtime/turns.ts';
import { contextOfQuery, evaluateQuery } from '../../wire/client/context.ts';
import {
  presentEvaluation,
  wireAdvancedFeature,
  wireEvaluation,
  wirePlaygroundFeature,
} from '../../wire/playground/playground.ts';
import {
  advancedBody,
  contextsOf,
  flatContext,
  MAX_COMBINATIONS,
  MAX_EVALUATIONS,
  playgroundBody,
  playgroundQuery,
  refuseMany,
} from '../../wire/playground/playground-input.ts';
import { createFieldOrigins } from '../pages/field-origins.ts';
import { type Asked, byEnvironment, forOneContext, type Playground, playgroundText } from '../pages/playground-text.ts';
import { segmentReader } from '../pages/segment-reader.ts';
import { askPast } from '../route/past-services.ts';
import { type Input, type RouteServices, route } from '../route/route.ts';
import { StreamedBody } from '../server/answer/send-pieces.ts';
import { flagPath } from './flag/features.ts';

type PlaygroundBody = Pick<z.output<typeof playgroundBody>, 'projects' | 'at'>;
type PlaygroundInput = Input<unknown, z.output<typeof playgroundQuery>, PlaygroundBody>;

/** Evaluates the flags in projects that the caller may read. */
async function playgroundOf(
  services: RouteServices,
  { body, query, signal, turn }: PlaygroundInput,
  asked: readonly Asked[],
): Promise<Playground> {
  const { catalog, evaluations } = services;
  const { projects = '*', at } = body;
  const readable = (await projectsOfReadableFlags(services)).map(({ project }) => wireNameOf(project));
  // A caller who can read no flag does not learn which environments exist.
  if (readable.length > 0) for (const { environment } of asked) findEnvironment(catalog, environment);
  const scope = { projects: readable.filter((id) => projects === '*' || projects.includes(id)) };
  const environments = [...new Set(asked.map(({ environment }) => environment))];
  for (const environment of environments) await evaluations.prepare({ ...scope, environment }, turn);
  const names = evaluations.flags({ ...scope, environment: environments[0] ?? '' }).map(({ feature }) => feature.name);
  refuseMany(names.length, asked.length);
  const readsSegment = await segmentReader(services);
  const explain = createExplanations(services, timeOf(services, at));
  return {
    names,
    asked,
    explain: (name, { environment, context }) => explain(name, { ...scope, environment }, context),
    originsOf: query.explain ? createFieldOrigins(services, { readsSegment, signal }) : undefined,
    readsSegment,
    input: body,
    turn,
  };
}

/** In ms since 1970. */
function timeOf({ catalog }: RouteServices, at: string | undefined): number {
  return at === undefined ? catalog.now() : Date.parse(at);
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** A future time has the present flags. */
function asked(question: Parameters<typeof askPast>[0], now: number, ...flags: readonly [WantedFlags, string?]) {
  const past = askPast(question, ...flags);
  return past && past.at < now ? past : undefined;
}

/** Flags of projects; all of them are read, as `*` means those that the caller may read. */
const ofProjects = (projects: '*' | readonly string[] = '*'): WantedFlags =>
  projects === '*' ? { of: 'all' } : { of: 'projects', projects };

const shared = {
  method: 'post',
  errors: ['not-found'],
  requires: signedIn,
  answer: 200,
  creates: true,
  streams: 'whole',
  query: playgroundQuery,
  past: ({ body, query }: Pick<PlaygroundInput, 'body' | 'query'>, now: number) =>
    asked({ at: body.at, part: 'body', inGap: query.inGap }, now, ofProjects(body.projects)),
} as const;
const limits = `At most ${MAX_EVALUATIONS} evaluations: flags times environments times contexts. Kubernetes users see the flags of projects that they may \`get\`, in namespaces where they may \`get\` every flag. Nothing is written, and nothing counts as usage.`;

export const playgroundRoutes = [
  route({
    ...shared,
    path: '/playground',
    summary: 'Evaluate the flags of an environment for a context, with reasons.',
    description: `The answer has the results that SDKs, browsers and OpenFeature get, and \`why\`. \`remoteAddress\` and \`sessionId\` have no defaults. ${limits}`,
    body: playgroundBody,
    response: z
      .object({ features: z.array(wirePlaygroundFeature).meta({ description: 'Sorted by name.' }), input: z.unknown() })
      .meta({ id: 'Playground' }),
    handle: async (services, input) => {
      const { environment, context } = input.body;
      const playground = await playgroundOf(services, input, [{ environment, context }]);
      return new StreamedBody({ type: JSON_TYPE, read: () => playgroundText(playground, forOneContext) });
    },
  }),

  route({
    ...shared,
    path: '/playground/advanced',
    summary: 'Evaluate the flags of several environments for several contexts, with reasons.',
    description: `Commas in texts of the context separate values. Vexil evaluates every combination of environments and contexts, at most ${MAX_COMBINATIONS}. ${limits}`,
    body: advancedBody,
    response: z
      .object({ features: z.array(wireAdvancedFeature).meta({ description: 'Sorted by name.' }), input: z.unknown() })
      .meta({ id: 'AdvancedPlayground' }),
    handle: async (services, input) => {
      const environments = [...new Set(input.body.environments)];
      const contexts = contextsOf(input.body.context, environments.length);
      const every = environments.flatMap((environment) => contexts.map((context) => ({ environment, context })));
      const playground = await playgroundOf(services, input, every);
      return new StreamedBody({ type: JSON_TYPE, read: () => playgroundText(playground, byEnvironment) });
    },
  }),

  route({
    method: 'get',
    path: '/projects/:projectId/features/:featureName/evaluate',
    summary: 'Evaluate one flag for a context, with reasons.',
    description:
      'Any other parameter is a property of the context. A property can also be written as `properties[name]`. `why.fields` has the fields that decided, with their owners and last changes. [docs/evaluation.md](evaluation.md#why-is-this-flag-on)',
    errors: ['not-found'],
    requires: toFlag('get', 'NONE'),
    params: flagPath,
    query: evaluateQuery,
    answer: 200,
    response: wireEvaluation,
    past: ({ params: { projectId, featureName }, query }, now) =>
      asked(query, now, { of: 'names', names: [featureName] }, projectId),
    handle: async (services, { params, query, signal, turn }) => {
      const { catalog } = services;
      const flag = findFlag(catalog, params);
      const { at, inGap: _, ...given } = query;
      const { environment: named, ...context } = flatContext(contextOfQuery(given));
      const [first] = catalog.flagContextOf(flag).environments.map(wireNameOf);
      const environment = wireNameOf(findEnvironment(catalog, query.environment ?? first ?? ''));
      const readsSegment = await segmentReader(services);
      const scope = { environment, projects: [params.projectId] };
      const explain = createExplanations(services, timeOf(services, at));
      const explained = await inTurn(turn, () => explain(params.featureName, scope, context));
      if (!explained) throw new Refusal('not-found', `There is no flag named "${params.featureName}" any more.`);
      const fields = await createFieldOrigins(services, { readsSegment, signal })(explained);
      return presentEvaluation(explained, { ...context, environment }, { readsSegment, fields });
    },
  }),
];
