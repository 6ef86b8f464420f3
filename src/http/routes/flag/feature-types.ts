/** GET /feature-types. */
import { signedIn } from '../../../access/authorization/requirements.ts';
import { presentFeatureTypes, wireFeatureTypes } from '../../../wire/admin/flag/feature-type.ts';
import { route } from '../../route/route.ts';

export const featureTypeRoutes = [
  route({
    method: 'get',
    path: '/feature-types',
    summary: 'List the types of flags.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireFeatureTypes,
    handle: presentFeatureTypes,
  }),
];
