/** The values of flags for providers of OpenFeature (OFREP 0.3.0, ADR 42). */
import { z } from 'zod';
import type { Question } from '../../../delivery/answers.ts';
import type { StreamConnection } from '../../../delivery/open-stream.ts';
import { Refusal } from '../../../errors.ts';
import { contextBody } from '../../../wire/client/context.ts';
import { appNameOfProvider } from '../../../wire/client/reported-usage.ts';
import { ofrepContext } from '../../../wire/ofrep/answer.ts';
import { STREAMS_PATH, withEventStream } from '../../../wire/ofrep/event-stream.ts';
import {
  eventStreamQuery,
  ofrepEvaluation,
  ofrepEvaluations,
  ofrepEvaluationsQuery,
} from '../../../wire/ofrep/shapes.ts';
import { clientRoute, type SdkRequester } from '../../route/client-route.ts';
import { EventStream } from '../../server/answer/event-stream.ts';
import { JsonText } from '../../server/answer/representation.ts';
import { addressKey } from '../../server/guard/rate-limit.ts';

const common = {
  method: 'post',
  caller: 'provider',
  isLimited: true,
  isContext: true,
  answer: 200,
  body: contextBody,
} as const;

interface OfrepRequest extends SdkRequester {
  readonly body: z.infer<typeof contextBody>;
}

function questionOf({ scope, turn, body: { context = {} } }: OfrepRequest): Question {
  return { scope, turn, context: ofrepContext(context, scope.environment) };
}

export const ofrepRoutes = [
  clientRoute({
    ...common,
    path: '/ofrep/v1/evaluate/flags/:key',
    summary: 'Evaluate one flag.',
    description:
      'The value of a flag without payloads is a boolean. The value of a flag whose variants have payloads is the payload of its variant. While such a flag is off, it has no value and the application uses its default. Vexil stores evaluations by flag, variant and hour, and counts them in the metric `vexil_sdk_evaluations_total`. `Unleash-AppName` names the application; otherwise, the application is `ofrep`.',
    params: z.object({ key: z.string().meta({ examples: ['checkout'] }) }),
    errors: ['not-found'],
    response: ofrepEvaluation,
    async handle({ answers, observe, reports }, { params: { key }, ...asked }) {
      const found = await answers.values.one(key, questionOf(asked));
      if (!found) throw new Refusal('not-found', `There is no flag named "${key}" for this token.`);
      const counts = { yes: Number(found.enabled), no: Number(!found.enabled) };
      observe.counted(asked.scope.environment, counts);
      const variants = new Map(found.variant === undefined ? [] : [[found.variant, 1]]);
      const appName = appNameOfProvider(asked.headers);
      reports.evaluations(asked.scope, [{ name: key, appName, ...counts, variants, at: undefined }]);
      return new JsonText(found.json);
    },
  }),

  clientRoute({
    ...common,
    path: '/ofrep/v1/evaluate/flags',
    summary: 'Evaluate all flags.',
    description:
      'The values are the same as those of the endpoint for one flag. They do not count as evaluations. `eventStreams` names a stream that notifies of changes ([docs/openfeature.md](openfeature.md#changes-at-once)).',
    errors: [],
    query: ofrepEvaluationsQuery,
    response: ofrepEvaluations,
    async handle({ answers, notices, streams }, { query: { flagConfigEtag }, ...asked }) {
      await notices.untilNoticed(flagConfigEtag);
      const all = await answers.values.all(questionOf(asked));
      const named = streams.isBelowLimit('notices', addressKey(asked.from()))
        ? withEventStream(all, asked.scope.streamKey())
        : all;
      return new JsonText(named);
    },
  }),

  clientRoute({
    method: 'get',
    path: STREAMS_PATH,
    summary: 'Stream a notification each time the flags must be evaluated again.',
    description:
      'The answer is server-sent events without a name. The data is `{"type": "refetchEvaluation", "etag": "…"}`. The answer for all flags contains the address of the stream. The address needs no token. `Last-Event-ID` names the last event that the caller has.',
    errors: ['too-many-streams'],
    caller: 'address',
    isLimited: true,
    streams: true,
    query: eventStreamQuery,
    answer: 200,
    handle({ notices, streams, stalledMs }, { scope, known, from }) {
      const { isStillAllowed: isAllowed } = scope;
      const source = notices.sourceOf(scope, known);
      const holder = addressKey(from());
      const open = (connection: StreamConnection) => streams.open('notices', { source, isAllowed, connection, holder });
      return new EventStream(open, stalledMs);
    },
  }),
];
