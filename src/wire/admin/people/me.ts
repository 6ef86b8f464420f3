/** The caller on the wire, with its permissions. */
import { z } from 'zod';
import type { Author } from '../../../domain/identity/author.ts';
import type { FlagUser } from '../../../schema/flag-user.ts';
import { permissionNames } from '../../../schema/permission.ts';
import { wireNullableText } from '../fields.ts';
import { presentUser } from './user.ts';

const permission = z.enum(permissionNames).meta({ examples: ['UPDATE_FEATURE'] });

export const wireMe = z
  .object({
    user: z
      .object({
        id: z.int().meta({
          description: 'The id of the caller in events: -1 for a caller without a FlagUser, -42 for an admin token.',
          examples: [7],
        }),
        username: z.string().meta({
          description: 'The name of the FlagUser, of the Kubernetes user, or of the admin token.',
          examples: ['ada'],
        }),
        name: z
          .string()
          .optional()
          .meta({ description: 'The display name.', examples: ['Ada Ahlgren'] }),
        email: z.string().optional(),
        imageUrl: z.string().optional(),
        isAPI: z.boolean().meta({ description: 'Whether the caller has an admin token.' }),
        createdBy: z.string().meta({ description: 'The name of the caller in events.', examples: ['ada@example.com'] }),
        via: z
          .enum(['anonymous', 'bootstrap-token', 'api-token', 'personal-token', 'kubernetes-token', 'oidc'])
          .meta({ description: 'The authentication method.' }),
      })
      .meta({ id: 'Me' }),
    permissions: z.array(z.object({ permission })).meta({
      description: 'The permissions outside projects. `/user/permissions` lists the permissions in a project.',
    }),
    feedback: z.array(z.unknown()).meta({ description: 'Empty: Vexil asks for none.' }),
    splash: z.object({}).meta({ description: 'Empty: Vexil shows none.' }),
  })
  .meta({ id: 'MeWithPermissions', description: 'The caller.' });

export const permissionsQuery = z.object({
  project: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The id of a project. Absent: only what concerns no project.' }),
  environment: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The name of an environment. Absent: only what concerns no environment.' }),
});

export const wirePermissions = z
  .object({
    project: wireNullableText.meta({ description: 'The value of the query.', examples: ['shop'] }),
    environment: wireNullableText.meta({ description: 'The value of the query.', examples: ['production'] }),
    permissions: z.array(permission).meta({
      description: 'Permissions that endpoints of this place require, if the caller may call all of these endpoints.',
    }),
    endpoints: z.array(z.string().meta({ examples: ['PUT /projects/{projectId}'] })).meta({
      description: 'The endpoints that the caller may call, below `/api/admin`, for any object of this place.',
    }),
  })
  .meta({ id: 'Permissions', description: 'The permissions of the caller in a project or environment.' });

interface Me {
  readonly author: Author;
  /** Undefined if the caller is no FlagUser. */
  readonly user: FlagUser | undefined;
  /** The id as in events. */
  readonly id: number;
  readonly createdBy: string;
}

export function presentMe({ author: { name, via }, user, id, createdBy }: Me) {
  const isAPI = via === 'bootstrap-token' || via === 'api-token';
  const account = { id, isAPI, createdBy, via };
  if (!user) return { ...account, username: name };
  const { name: displayName, email, username, imageUrl } = presentUser(user, undefined);
  return {
    ...account,
    ...(displayName !== undefined && { name: displayName }),
    ...(email && { email }),
    username,
    imageUrl,
  };
}
