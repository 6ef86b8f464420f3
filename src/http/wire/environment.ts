/** Environments on the wire. */
import { z } from 'zod';
import type { EnvironmentUse } from '../../domain/judge-environment.ts';
import { NO_TOKENS } from '../../domain/judge-environment.ts';
import { wireNameOf } from '../../domain/names.ts';
import { LAST } from '../../domain/surroundings.ts';
import type { Environment } from '../../schema/environment.ts';

const DEFAULT_ENVIRONMENT_TYPE = 'development';

export function environmentTypeOf({ spec }: Environment): string {
  return spec.type ?? DEFAULT_ENVIRONMENT_TYPE;
}

const wireEnvironment = z.object({
  name: z.string(),
  displayName: z.string(),
  type: z.string(),
  enabled: z.boolean(),
  protected: z.boolean(),
  sortOrder: z.int(),
  projectCount: z.int(),
  apiTokenCount: z.int(),
  enabledToggleCount: z.int(),
});
export type WireEnvironment = z.infer<typeof wireEnvironment>;

export const wireEnvironments = z.object({ version: z.literal(1), environments: z.array(wireEnvironment) });

export function presentEnvironment(environment: Environment, use: EnvironmentUse): WireEnvironment {
  const name = wireNameOf(environment);
  return {
    name,
    displayName: environment.spec.displayName ?? name,
    type: environmentTypeOf(environment),
    enabled: environment.spec.enabled ?? true,
    protected: environment.spec.protected ?? false,
    sortOrder: environment.spec.sortOrder ?? LAST,
    projectCount: use.projects,
    apiTokenCount: NO_TOKENS,
    enabledToggleCount: use.enabledFlags,
  };
}
