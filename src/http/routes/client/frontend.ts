/** Flags as evaluated for the context of a browser or a mobile application. */
import { z } from 'zod';
import type { Answers, Question } from '../../../delivery/answers.ts';
import { Refusal } from '../../../errors.ts';
import { completeContext, contextBody, contextOfQuery, contextQuery } from '../../../wire/client/context.ts';
import { countsOf, metricsReport, registration } from '../../../wire/client/report.ts';
import { flagsOf, sdkOf } from '../../../wire/client/reported-usage.ts';
import { frontendToggle, frontendToggles } from '../../../wire/client/toggle.ts';
import type { TaggedJson } from '../../../wire/tagged-json.ts';
import { type ClientServices, clientRoute, type SdkRequester } from '../../route/client-route.ts';
import { JsonText } from '../../server/answer/representation.ts';

const properties =
  'Any other parameter is a property of the context. A property can also be written as `properties[name]`.';

interface FrontendEndpoint<P> {
  readonly path: string;
  readonly summary: string;
  readonly params?: z.ZodType<P>;
  readonly errors: readonly 'not-found'[];
  readonly response: z.ZodType;
  readonly answerTo: (answers: Answers, question: Question, params: P) => Promise<TaggedJson>;
}

/** The context comes in the query or in the body. */
function evaluated<P>({ answerTo, ...endpoint }: FrontendEndpoint<P>) {
  const common = { ...endpoint, caller: 'browser', isLimited: true, answer: 200 } as const;
  const answer = async (
    { answers, newSessionId }: ClientServices,
    { scope, from, turn, params }: SdkRequester & { readonly params: P },
    given: Readonly<Record<string, unknown>>,
  ) => {
    const context = completeContext(given, { environment: scope.environment, from: from(), newSessionId });
    return new JsonText(await answerTo(answers, { scope, context, turn }, params));
  };
  return [
    clientRoute({
      ...common,
      method: 'get',
      description: properties,
      query: contextQuery,
      handle: (services, input) => answer(services, input, contextOfQuery(input.query)),
    }),
    clientRoute({
      ...common,
      method: 'post',
      body: contextBody,
      isContext: true,
      handle: (services, input) => answer(services, input, input.body.context ?? {}),
    }),
  ];
}

/** Browsers belong to people and are many: they are not listed as instances. */
function browserSdk(...report: Parameters<typeof sdkOf>) {
  return { ...sdkOf(...report), instanceId: undefined };
}

const report = {
  method: 'post',
  errors: [],
  caller: 'browser',
  isLimited: true,
  isReport: true,
  answer: 200,
} as const;

export const frontendRoutes = [
  ...evaluated({
    path: '/api/frontend',
    summary: 'Get the flags that are on for a context.',
    errors: [],
    response: frontendToggles,
    answerTo: ({ toggles }, question) => toggles.all(question, ({ enabled }) => enabled),
  }),

  ...evaluated({
    path: '/api/frontend/all',
    summary: 'Get all flags for a context, also those that are off.',
    errors: [],
    response: frontendToggles,
    answerTo: ({ toggles }, question) => toggles.all(question),
  }),

  ...evaluated({
    path: '/api/frontend/features/:featureName',
    summary: 'Get one flag for a context.',
    params: z.object({ featureName: z.string().meta({ examples: ['checkout'] }) }),
    errors: ['not-found'],
    response: frontendToggle,
    async answerTo({ toggles }, question, { featureName }) {
      const found = await toggles.one(featureName, question);
      if (!found) throw new Refusal('not-found', `There is no flag named "${featureName}" for this token.`);
      return found.json;
    },
  }),

  clientRoute({
    ...report,
    path: '/api/frontend/client/register',
    summary: 'Report which application uses the flags.',
    description: 'Vexil stores the application and the version of the SDK, and nothing about the browser.',
    body: registration,
    handle: ({ reports }, { scope, headers, body }) => reports.sdk(scope, browserSdk(body, headers)),
  }),

  clientRoute({
    ...report,
    path: '/api/frontend/client/metrics',
    summary: 'Report how often flags were evaluated.',
    description:
      'Vexil stores the evaluations by flag, application and hour, and counts them in the metric `vexil_sdk_evaluations_total`. If the body cannot be read, the answer is also 200, and nothing is counted.',
    body: metricsReport,
    handle({ observe, reports }, { scope, headers, body }) {
      observe.counted(scope.environment, countsOf(body));
      reports.sdk(scope, browserSdk(body, headers));
      reports.evaluations(scope, flagsOf(body));
    },
  }),
];
