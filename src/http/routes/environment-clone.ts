/** POST /environments/:environment/clone. */
import { z } from 'zod';
import { toHome } from '../../access/authorization/requirements.ts';
import { cloneEnvironment } from '../../actions/clone-environment.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { presentEnvironment, wireEnvironment } from '../../wire/admin/project/environment.ts';
import { cloneEnvironmentBody, cloneRequest } from '../../wire/admin/project/environment-input.ts';
import { route } from '../route/route.ts';

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
      'Create an environment as a copy of another, with its configuration in the flags of the projects. The request waits until the clone is done. After 60 seconds the answer is 503: send the same request again to keep waiting.',
    errors: ['not-found', 'name-taken'],
    requires: toHome({ verb: 'create', resource: 'environments', permission: 'ADMIN' }),
    touches: 'all',
    params: sourcePath,
    body: cloneEnvironmentBody,
    answer: 200,
    creates: true,
    omitsUnreadable: true,
    response: wireEnvironment,
    handle: async (services, { params, body, dryRun }) => {
      const wanted = { request: cloneRequest(params.environment, body), type: body.type, dryRun };
      const environment = await cloneEnvironment(services, wanted);
      const { catalog } = services;
      return presentEnvironment(environment, catalog.useOf(wireNameOf(environment)), catalog.now());
    },
  }),
];
