/** The types that a flag may have. */
import { signedIn } from '../identity/asks.ts';
import { route } from '../route.ts';
import { presentFeatureTypes, wireFeatureTypes } from '../wire/feature-type.ts';

export const featureTypeRoutes = [
  route({
    method: 'get',
    path: '/feature-types',
    summary: 'List the types of flags.',
    refuses: [],
    asks: signedIn,
    answer: 200,
    response: wireFeatureTypes,
    handle: presentFeatureTypes,
  }),
];
