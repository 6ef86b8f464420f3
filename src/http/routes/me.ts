/** GET /user and /user/permissions: the caller, and what the caller may do. */
import { permittedIn } from '../../access/authorization/permitted.ts';
import { toBypassFreeze } from '../../access/authorization/refuse-frozen.ts';
import { signedIn } from '../../access/authorization/requirements.ts';
import { actorOf } from '../../audit/derive/actor.ts';
import { DEFAULT_PROJECT } from '../../domain/identity/names.ts';
import { permissionsQuery, presentMe, wireMe, wirePermissions } from '../../wire/admin/people/me.ts';
import { type RouteServices, route } from '../route/route.ts';

function permitted(services: RouteServices, place: Parameters<typeof permittedIn>[1]) {
  const { caller, needs } = services;
  return permittedIn({ caller, needs, known: services }, place);
}

const BYPASS = 'BYPASS_FREEZE';

interface QueriedPlace {
  readonly project: string | undefined;
  readonly environment: string | undefined;
}

/** No endpoint needs this permission: it only lifts a refusal. */
async function mayBypassFreeze({ caller, catalog }: RouteServices, { project, environment }: QueriedPlace) {
  const there = environment === undefined ? undefined : catalog.environment(environment);
  if (!there) return false;
  return (await caller.refusal(toBypassFreeze(there, project ?? DEFAULT_PROJECT))) === undefined;
}

export const meRoutes = [
  route({
    method: 'get',
    path: '/user',
    summary: 'Read who the caller is.',
    description:
      'A caller with a Kubernetes identity of a FlagUser is that user. Callers who are not FlagUsers have neither `name` nor `email`.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireMe,
    handle: async (services) => {
      const { caller, catalog } = services;
      const { createdBy, createdByUserId: id } = actorOf({ by: 'author', from: undefined, ...caller.author }, catalog);
      const { permissions } = await permitted(services, {});
      return {
        user: presentMe({ author: caller.author, user: catalog.user(id), id, createdBy }),
        permissions: permissions.map((permission) => ({ permission })),
        feedback: [],
        splash: {},
      };
    },
  }),
  route({
    method: 'get',
    path: '/user/permissions',
    summary: 'Read what the caller may do, outside projects or in a project and environment.',
    description:
      'Vexil applies the same requirements to requests ([docs/access.md](access.md)). The answer lists an endpoint if the query names the project and environment that the path of the endpoint names. For Kubernetes users, access to single objects by name (`resourceNames`) does not count. With `VEXIL_ENVIRONMENT_PERMISSIONS=true`, an endpoint that changes the effective state in the environment of the query needs `change-flags` on this environment. An endpoint that can do so in each environment, such as archiving a flag, needs `change-flags` on all environments. Access reviews are cached for seconds. For a project or environment that does not exist, the answer is the same as for any other.',
    errors: [],
    requires: signedIn,
    query: permissionsQuery,
    answer: 200,
    response: wirePermissions,
    handle: async (services, { query: { project, environment } }) => {
      const { permissions, endpoints } = await permitted(services, {
        ...(project !== undefined && { projectId: project }),
        ...(environment !== undefined && { environment }),
      });
      const mayBypass = await mayBypassFreeze(services, { project, environment });
      return {
        project: project ?? null,
        environment: environment ?? null,
        permissions: [...permissions, ...(mayBypass ? [BYPASS] : [])].toSorted(),
        endpoints: endpoints.map((endpoint) => endpoint.replaceAll(/:(\w+)/g, '{$1}')),
      };
    },
  }),
];
