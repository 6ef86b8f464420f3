/** Environments on the wire. */
import { z } from 'zod';
import { environmentTypeOf } from '../../../domain/environment/environment-values.ts';
import type { EnvironmentUse } from '../../../domain/environment/judge-environment.ts';
import { LAST } from '../../../domain/flag/flag-context.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import type { Environment } from '../../../schema/environment.ts';
import { wireNatural } from '../fields.ts';
import { presentFreezeAt, wireFreeze } from './freeze.ts';

/** The fields of an environment that do not depend on the caller. */
export const plainEnvironment = {
  name: z.string().meta({ examples: ['production'] }),
  displayName: z.string().meta({ examples: ['Production'] }),
  type: z.string().meta({ examples: ['production'] }),
  enabled: z.boolean().meta({ description: 'Projects that list no environments use it.', examples: [true] }),
  protected: z.boolean().meta({ description: 'A protected environment cannot be deleted.' }),
  sortOrder: wireNatural.meta({ description: 'Lower comes first.', examples: [2] }),
};

export const freezeInForce = wireFreeze
  .nullable()
  .meta({ description: 'The freeze that is in force. Null: none is.', examples: [null] });

export const wireEnvironment = z
  .object({
    ...plainEnvironment,
    freeze: freezeInForce,
    projectCount: wireNatural.meta({ description: 'Projects that use it.', examples: [3] }),
    apiTokenCount: wireNatural.meta({ description: 'API tokens for it.', examples: [2] }),
    enabledToggleCount: wireNatural.meta({ description: 'Flags that are on in it.', examples: [12] }),
  })
  .meta({ id: 'Environment' });
export type WireEnvironment = z.infer<typeof wireEnvironment>;

export const wireEnvironments = z
  .object({
    version: z.literal(1),
    environments: z.array(wireEnvironment).meta({ description: 'Lower sortOrder first.' }),
  })
  .meta({ id: 'Environments' });

export function presentPlainEnvironment(environment: Environment) {
  const name = wireNameOf(environment);
  return {
    name,
    displayName: environment.spec.displayName ?? name,
    type: environmentTypeOf(environment),
    enabled: environment.spec.enabled ?? true,
    protected: environment.spec.protected ?? false,
    sortOrder: environment.spec.sortOrder ?? LAST,
  };
}

/** `now` in ms since 1970. */
export function presentEnvironment(environment: Environment, use: EnvironmentUse, now: number): WireEnvironment {
  return {
    ...presentPlainEnvironment(environment),
    freeze: presentFreezeAt(environment, now),
    projectCount: use.projects,
    apiTokenCount: use.apiTokens,
    enabledToggleCount: use.enabledFlags,
  };
}
