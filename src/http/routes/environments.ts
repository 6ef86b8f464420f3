/** Environments. */
import { wireNameOf } from '../../domain/names.ts';
import { route } from '../route.ts';
import { presentEnvironment, wireEnvironments } from '../wire/environment.ts';

export const environmentRoutes = [
  route({
    method: 'get',
    path: '/environments',
    summary: 'List the environments.',
    refuses: [],
    permission: 'NONE',
    answer: 200,
    response: wireEnvironments,
    handle: ({ catalog }) => ({
      version: 1,
      environments: catalog.environments().map((one) => presentEnvironment(one, catalog.useOf(wireNameOf(one)))),
    }),
  }),
];
