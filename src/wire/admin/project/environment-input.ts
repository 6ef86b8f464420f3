/** The bodies of requests about environments. */
import { z } from 'zod';
import type { CloneRequest } from '../../../domain/environment/clone-environment.ts';
import { MAX_CLONED_PROJECTS, sortOrder } from '../../../schema/environment.ts';
import { wireName } from '../../../schema/fields/shapes.ts';

/** The body of POST /environments/:environment/clone. */
export const cloneEnvironmentBody = z
  .object({
    name: wireName('The name of the new environment; it can never be changed.'),
    type: z.string().min(1).max(50).meta({
      description: 'The use of the environment: development, test, pre-production, production, or another word.',
    }),
    projects: z
      .array(z.string().min(1).max(100))
      .max(MAX_CLONED_PROJECTS)
      .nullable()
      .optional()
      .meta({ description: 'The ids of the projects whose flags are copied. Left out: none.' }),
    clonePermissions: z
      .boolean()
      .nullable()
      .optional()
      .meta({ description: 'Copies permissions that roles have in the environment that is cloned. Left out: true.' }),
  })
  .meta({
    id: 'CloneEnvironment',
    description: 'A property that is null or absent gets its default. Unknown properties are dropped.',
    examples: [{ name: 'staging', type: 'pre-production', projects: ['shop'], clonePermissions: true }],
  });

export function cloneRequest(from: string, body: z.infer<typeof cloneEnvironmentBody>): CloneRequest {
  const { name, projects, clonePermissions } = body;
  return { from, to: name, projects: [...new Set(projects)], permissions: clonePermissions ?? true };
}

export const environmentOrderBody = z.record(z.string(), sortOrder).meta({
  id: 'EnvironmentOrder',
  description:
    'The new sortOrder of each named environment. Lower comes first. Other environments keep their sortOrder.',
  examples: [{ development: 1, production: 2 }],
});
