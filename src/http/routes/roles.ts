/** GET /roles and /permissions: the roles that users and members may have, and what roles grant. */
import { z } from 'zod';
import { toHome } from '../../access/authorization/requirements.ts';
import { findRole } from '../../catalog/find.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { idInPath } from '../../wire/admin/id.ts';
import { presentPermissions, wireGrantables } from '../../wire/admin/people/permission.ts';
import { presentRoleDetail, presentRoles, wireRoleDetail, wireRoles } from '../../wire/admin/people/role.ts';
import { route } from '../route/route.ts';

const rolePath = z.object({ roleId: idInPath('The id of the role.', 4) });
type RolePath = z.output<typeof rolePath>;

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
  route({
    method: 'get',
    path: '/roles/:roleId',
    summary: 'Read a role with its permissions.',
    description:
      'The permissions of Editor are those for everything: in the project `default`, an Editor has those of an Owner, too.',
    errors: ['not-found'],
    requires: toHome({
      verb: 'get',
      resource: 'flagroles',
      permission: 'ADMIN',
      find: ({ catalog }, { roleId }: RolePath) => catalog.role(roleId)?.custom,
      sent: ({ roleId }) => `${roleId}`,
    }),
    params: rolePath,
    answer: 200,
    response: wireRoleDetail,
    handle: ({ catalog }, { params }) => presentRoleDetail(findRole(catalog, params.roleId)),
  }),
  route({
    method: 'get',
    path: '/permissions',
    summary: 'List the permissions that a role can grant.',
    description:
      '`/user/permissions` lists those of the caller. A permission of an environment is listed for each environment.',
    errors: [],
    requires: toHome({ verb: 'list', resource: 'environments', permission: 'NONE' }),
    answer: 200,
    response: wireGrantables,
    handle: ({ catalog }) => presentPermissions(catalog.environments().map(wireNameOf)),
  }),
];
