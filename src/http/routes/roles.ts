/** GET /roles: the roles that users and members may have. */
import { toHome } from '../../access/authorization/requirements.ts';
import { presentRoles, wireRoles } from '../../wire/admin/people/role.ts';
import { route } from '../route/route.ts';

export const roleRoutes = [
  route({
    method: 'get',
    path: '/roles',
    summary: 'List the roles, the built-in ones first.',
    description: 'Roles are changed with kubectl or Git, as FlagRoles. The list has no paging.',
    errors: [],
    requires: toHome({ verb: 'list', resource: 'flagroles', permission: 'NONE' }),
    answer: 200,
    response: wireRoles,
    handle: ({ catalog }) => presentRoles(catalog.rolesInOrder()),
  }),
];
