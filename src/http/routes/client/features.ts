/** The flags that SDKs evaluate. */
import { z } from 'zod';
import { Refusal } from '../../../errors.ts';
import { featuresQuery, snapshotQuery } from '../../../wire/client/query.ts';
import { clientFeature, clientFeatures } from '../../../wire/client/shapes.ts';
import { clientRoute } from '../../route/client-route.ts';

const description = `The token decides the environment, and the projects unless the token is for all projects. A flag that
is off is in the list with \`enabled: false\`. An archived flag is not in the list. If SDKs would read a value
differently, Vexil leaves the value out or writes it in one form: [docs/sdk.md](sdk.md#what-sdks-get).`;

export const clientFeatureRoutes = [
  clientRoute({
    method: 'get',
    path: '/api/client/features',
    summary: 'Get the flags of an environment, as SDKs evaluate them.',
    description,
    errors: [],
    caller: 'sdk',
    isLimited: true,
    leadsToStreams: true,
    query: featuresQuery,
    answer: 200,
    response: clientFeatures,
    handle: ({ pages }, { scope, inlinesSegments, isForEdge, query }) =>
      pages.features(snapshotQuery({ ...scope, inlinesSegments, isForEdge }, query)),
  }),

  clientRoute({
    method: 'get',
    path: '/api/client/features/:featureName',
    summary: 'Get one flag, as SDKs evaluate it.',
    errors: ['not-found'],
    caller: 'sdk',
    isLimited: true,
    params: z.object({ featureName: z.string().meta({ examples: ['checkout'] }) }),
    answer: 200,
    response: clientFeature,
    handle({ pages }, { scope, inlinesSegments, isForEdge, params: { featureName } }) {
      const found = pages.feature(featureName, { ...scope, inlinesSegments, isForEdge });
      if (!found) throw new Refusal('not-found', `There is no flag named "${featureName}" for this token.`);
      return found;
    },
  }),
];
