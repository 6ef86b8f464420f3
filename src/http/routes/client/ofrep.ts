/** The values of flags for providers of OpenFeature (OFREP 0.3.0, ADR 42). */
import { z } from 'zod';
import type { Question } from '../../../delivery/answers.ts';
import { Refusal } from '../../../errors.ts';
import { ofrepContext } from '../../../wire/ofrep/context.ts';
import { ofrepEvaluation, ofrepEvaluations, ofrepRequest } from '../../../wire/ofrep/shapes.ts';
import { type Asker, clientRoute } from '../../route/client-route.ts';
import { Representation } from '../../server/representation.ts';

const common = {
  method: 'post',
  caller: 'provider',
  isLimited: true,
  isContext: true,
  answer: 200,
  body: ofrepRequest,
} as const;

interface Asked extends Asker {
  readonly body: z.infer<typeof ofrepRequest>;
}

function questionOf({ scope, body: { context = {} } }: Asked): Question {
  return { scope, context: ofrepContext(context, scope.environment) };
}

export const ofrepRoutes = [
  clientRoute({
    ...common,
    path: '/ofrep/v1/evaluate/flags/:key',
    summary: 'Evaluate one flag.',
    description:
      'Without payloads a flag is a boolean, else it has the payload of its variant; off, it has no value, and the default of the application counts. Counted in the metric `vexil_sdk_evaluations_total`.',
    params: z.object({ key: z.string().meta({ examples: ['checkout'] }) }),
    errors: ['not-found'],
    response: ofrepEvaluation,
    handle({ answers, observe }, { params: { key }, ...asked }) {
      const found = answers.values.one(key, questionOf(asked));
      if (!found) throw new Refusal('not-found', `There is no flag named "${key}" for this token.`);
      observe.counted(asked.scope.environment, { yes: Number(found.enabled), no: Number(!found.enabled) });
      return new Representation(Buffer.from(found.text));
    },
  }),

  clientRoute({
    ...common,
    path: '/ofrep/v1/evaluate/flags',
    summary: 'Evaluate all flags.',
    description: 'As for one flag, but not counted: the application has asked for none of them yet.',
    errors: [],
    response: ofrepEvaluations,
    handle: async ({ answers }, asked) => new Representation(Buffer.from(await answers.values.all(questionOf(asked)))),
  }),
];
