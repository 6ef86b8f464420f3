/** Roles on the wire. */
import { z } from 'zod';
import { permissionsOfRole } from '../../../domain/people/permissions.ts';
import type { Role } from '../../../domain/people/roles.ts';
import { wirePositive } from '../fields.ts';
import { presentPermission, wireGrantable } from './permission.ts';

const wireRole = z
  .object({
    id: wirePositive.meta({ examples: [5] }),
    name: z.string().meta({ examples: ['Member'] }),
    type: z
      .enum(['root', 'root-custom', 'project', 'custom'])
      .meta({ description: 'root-custom and custom: a FlagRole, for everything or for projects.' }),
    description: z.string(),
    project: z.null().meta({ description: 'A role counts in every project.' }),
  })
  .meta({ id: 'Role' });

export const wireRoles = z
  .object({ version: z.literal(1), roles: z.array(wireRole).meta({ description: 'Sorted by id.' }) })
  .meta({ id: 'Roles' });

export const wireRoleDetail = wireRole
  .extend({ permissions: z.array(wireGrantable) })
  .meta({ id: 'RoleWithPermissions' });

export function presentRoleDetail(role: Role): z.infer<typeof wireRoleDetail> {
  const permissions = permissionsOfRole(role).map(({ permission, environment }) =>
    presentPermission(permission, environment),
  );
  return { ...presentRole(role), permissions };
}

export function presentRoles(roles: readonly Role[]): z.infer<typeof wireRoles> {
  return { version: 1, roles: roles.map(presentRole) };
}

function presentRole({ id, name, type, description, custom }: Role): z.infer<typeof wireRole> {
  const ofCustom = type === 'root' ? 'root-custom' : 'custom';
  return { id, name, type: custom ? ofCustom : type, description, project: null };
}
