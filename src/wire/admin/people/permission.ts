/** Permissions that roles can grant, on the wire. */
import { z } from 'zod';
import { EVERY } from '../../../domain/people/permissions.ts';
import { levelOfPermission, permissionNames } from '../../../schema/permission.ts';
import { wireNatural } from '../fields.ts';

const NAMES: readonly string[] = permissionNames;

export const wireGrantable = z
  .object({
    id: wireNatural.meta({
      description:
        'The place among all permissions, from 1; 0: not a permission of this version. Other versions may have other ids, so use the name.',
      examples: [3],
    }),
    name: z.string().meta({ examples: ['UPDATE_FEATURE'] }),
    displayName: z.string().meta({ examples: ['Update feature'] }),
    type: z.enum(['root', 'project', 'environment']),
    environment: z.string().nullable().meta({ description: 'The only environment for which it counts. null: all.' }),
  })
  .meta({ id: 'GrantablePermission' });

type Grantable = z.infer<typeof wireGrantable>;

export function presentPermission(name: string, environment?: string): Grantable {
  const words = name
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/\bapi\b/, 'API');
  return {
    id: NAMES.indexOf(name) + 1,
    name,
    displayName: words.charAt(0).toUpperCase() + words.slice(1),
    type: levelOfPermission(name),
    environment: environment === EVERY ? null : (environment ?? null),
  };
}

const ofEnvironment = z.object({ name: z.string(), permissions: z.array(wireGrantable) });

export const wireGrantables = z
  .object({
    version: z.literal(1),
    permissions: z.object({
      root: z.array(wireGrantable),
      project: z.array(wireGrantable),
      environments: z.array(ofEnvironment),
    }),
  })
  .meta({ id: 'GrantablePermissions', description: 'The permissions that a FlagRole can grant.' });

export function presentPermissions(environments: readonly string[]): z.infer<typeof wireGrantables> {
  const ofLevel = (level: Grantable['type'], environment?: string) =>
    NAMES.filter((name) => levelOfPermission(name) === level).map((name) => presentPermission(name, environment));
  return {
    version: 1,
    permissions: {
      root: ofLevel('root'),
      project: ofLevel('project'),
      environments: environments.map((name) => ({ name, permissions: ofLevel('environment', name) })),
    },
  };
}
