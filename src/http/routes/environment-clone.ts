/** Endpoint 21: cloning an environment. */
import { z } from 'zod';
import { wireNameOf } from '../../domain/names.ts';
import { cloneEnvironment } from '../clone-environment.ts';
import { toHome } from '../identity/asks.ts';
import { route } from '../route.ts';
import { presentEnvironment, wireEnvironment } from '../wire/environment.ts';
import { cloneEnvironmentBody, cloneRequest } from '../wire/environment-input.ts';

const sourcePath = z.object({
  environment: z
    .string()
    .meta({ description: 'The name of the environment that is cloned.', examples: ['production'] }),
});

export const environmentCloneRoutes = [
  route({
    method: 'post',
    path: '/environments/:environment/clone',
    summary:
      'Create an environment as a copy of another, with what the flags of the projects say about it. Answers when it is done, and after 60 seconds with 503: the same request again waits on.',
    refuses: ['not-found', 'name-taken'],
    asks: toHome({ verb: 'create', resource: 'environments', permission: 'ADMIN' }),
    params: sourcePath,
    body: cloneEnvironmentBody,
    answer: 200,
    createsAnew: true,
    leavesOut: true,
    response: wireEnvironment,
    handle: async (services, { params, body, dryRun }) => {
      const wanted = { request: cloneRequest(params.environment, body), type: body.type, dryRun };
      const environment = await cloneEnvironment(services, wanted);
      return presentEnvironment(environment, services.catalog.useOf(wireNameOf(environment)));
    },
  }),
];
