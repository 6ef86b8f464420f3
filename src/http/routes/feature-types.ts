/** The types that a flag may have. */
import { route } from '../route.ts';
import { presentFeatureTypes, wireFeatureTypes } from '../wire/feature-type.ts';

export const featureTypeRoutes = [
  route({
    method: 'get',
    path: '/feature-types',
    summary: 'List the types of flags.',
    refuses: [],
    permission: 'NONE',
    answer: 200,
    response: wireFeatureTypes,
    handle: presentFeatureTypes,
  }),
];
