/** The members of a project with their roles, on the wire. */
import { z } from 'zod';
import type { Role } from '../../../domain/people/roles.ts';
import type { Member } from '../../../domain/project/members.ts';
import { wirePositive } from '../fields.ts';
import { presentUser, wireUser } from '../people/user.ts';

const roleId = wirePositive.meta({ examples: [5] });

const wireProjectRole = z
  .object({
    id: roleId,
    name: z.string().meta({ examples: ['Member'] }),
    type: z.enum(['project', 'custom']).meta({ description: 'custom: a FlagRole.' }),
    description: z.string(),
  })
  .meta({ id: 'ProjectRole' });

const wireMember = wireUser
  .pick({ id: true, name: true, email: true, username: true, imageUrl: true, accountType: true })
  .extend({
    roleId: roleId.meta({ description: 'The id of one of roles.' }),
    roles: z.array(roleId).meta({ description: 'The same id as `roleId`: a member has one role.' }),
  })
  .meta({ id: 'ProjectMember' });

export const wireProjectAccess = z
  .object({
    users: z.array(wireMember).meta({ description: 'Sorted by id.' }),
    groups: z.array(z.unknown()).meta({ description: 'Empty: Vexil has no groups.' }),
    roles: z.array(wireProjectRole).meta({ description: 'The roles that members of projects may have, by id.' }),
  })
  .meta({ id: 'ProjectAccess' });

export function presentProjectAccess(members: readonly Member[], roles: readonly Role[]) {
  return {
    users: members.map(({ user, role }) => {
      const { id, name, email, username, imageUrl, accountType } = presentUser(user, undefined);
      const named = { ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
      return { id, ...named, username, imageUrl, accountType, roleId: role.id, roles: [role.id] };
    }),
    groups: [],
    roles: roles
      .filter(({ type }) => type === 'project')
      .map(({ id, name, description, custom }) => {
        return { id, name, type: custom ? ('custom' as const) : ('project' as const), description };
      }),
  };
}
